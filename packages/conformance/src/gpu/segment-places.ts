/** What the checks of segments in GPU memory share: types of records, and places that are wrong. */

import type { Check } from '../check.js';
import type { Bench } from './bench.js';
import { RECORD_TYPES } from './order-checks.js';
import type { Part } from './records.js';
import { recordsFor, SPECIAL } from './sorts.js';
import type { RecordType } from './subject.js';

/** Records of every width, and those whose values are their places. */
export const SEGMENT_TYPES: readonly RecordType[] = [
  ...RECORD_TYPES,
  ...RECORD_TYPES.flatMap(({ keyType, valueType }) =>
    valueType === 'u32' ? [{ keyType, valueType: 'index' } as const] : [],
  ),
];

export const totalOf = (lengths: readonly number[]): number =>
  lengths.reduce((sum, own) => sum + own, 0);

/** Lengths in a random order, as many as are no more than `most` together. */
export function shuffled(
  { subject: { random } }: Bench,
  lengths: readonly number[],
  most: number = Number.POSITIVE_INFINITY,
): number[] {
  const left = [...lengths];
  const taken: number[] = [];
  while (left.length > 0) {
    const [length] = left.splice(random.below(left.length), 1) as [number];
    if (totalOf(taken) + length <= most) taken.push(length);
  }
  return taken;
}

/** A sorter that is given wrong places, and where the records are. */
interface WrongPlaces {
  readonly name: string;
  readonly type: RecordType;
  /** How many keys of each segment are wanted; all, unless it says otherwise. */
  readonly first?: number;
  sizesOf(bench: Bench): {
    readonly length: number;
    readonly maxCount: number;
    /** A place from which fewer than `maxCount` keys are left. */
    readonly nearEnd: number;
    /** Places as they should be. */
    readonly right: readonly number[];
  };
}

/** Wrong places may lose keys, but not write beyond the buffers, nor spoil what comes next. */
export const wrongPlaces = ({ name, type, first, sizesOf }: WrongPlaces): Check<Bench> => ({
  name,
  async run(bench) {
    const { random } = bench.subject;
    const { length, maxCount, nearEnd, right } = sizesOf(bench);
    const sorter = await bench.sorter({ ...type, maxCount, maxSegments: 500 });
    const order = 'ascending';
    const wanted = first === undefined ? {} : { first };
    const encode = (places: readonly number[]): ReturnType<typeof recordsFor> => {
      const records = recordsFor(bench, { ...type, order, count: length, distribution: SPECIAL });
      const { keys, values } = records;
      const buffer = bench.buffer(Uint32Array.from(places));
      const segments = { buffer, count: places.length - 1, ...wanted };
      bench.submit((encoder) => sorter.encode(encoder, { keys, values, segments }));
      return records;
    };
    /** Segments between places that ascend; a sort keeps to them whatever comes after. */
    const upTo = (...ends: number[]): Part[] =>
      ends.slice(1).flatMap((end, i) => {
        const offset = ends[i] as number;
        return end > offset ? [{ offset, count: end - offset, order, ...wanted }] : [];
      });
    const far = 2 ** 32 - 1;
    // Cut where the buffers end.
    const beyondEnd = encode([nearEnd, nearEnd + 30, far, far]);
    await beyondEnd.verify('places beyond the buffers', upTo(nearEnd, nearEnd + 30, length));
    await encode([far, far, far]).verify('only places beyond the buffers', []);
    // Cut where there are `maxCount` keys.
    const tooMany = encode([7, 17, 17, length, length]);
    await tooMany.verify('more than maxCount keys', upTo(7, 17, 7 + maxCount));
    // Any result will do; the device must find nothing wrong, and the next sort must be right.
    const read = (places: readonly number[], what: string): Promise<unknown> => {
      const reading = encode(places).read(what);
      return first === undefined ? reading : reading.catch(torn);
    };
    for (let i = 0; i < 2; i++) {
      const places = Array.from({ length: 300 }, () => random.below(i % 2 ? length : 2 ** 32));
      await read(places, 'random places');
      await read([0, ...Array(200).fill([0, length]).flat()], 'to and fro');
    }
    await encode(right).verify('right places after wrong ones', upTo(...right));
  },
});

/** Values may be torn where segments overlap; what the device says of it is no fault of theirs. */
function torn(error: Error): void {
  if (!error.message.includes('do not belong together')) throw error;
}
