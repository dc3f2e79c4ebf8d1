/** Checks of what callers get wrong: an error that names the argument, and nothing recorded. */

import type { Check } from '../check.js';
import { rejection } from '../request/pairs.js';
import { type Bench, BufferUsage } from './bench.js';
import { describeSort, optionsFor, recordsFor, type Sort, SPECIAL } from './sorts.js';
import type { GpuSortArguments, GpuSorter, GpuSorterOptions } from './subject.js';

/**
 * What is wrong in a call that is right otherwise, and the name that the error has to have in it.
 */
interface Mistake {
  readonly wrong: Readonly<Record<string, unknown>>;
  readonly error: typeof TypeError | typeof RangeError;
  readonly named: string;
}

const type = (named: string, wrong: Mistake['wrong']): Mistake => ({
  wrong,
  error: TypeError,
  named,
});
const range = (named: string, wrong: Mistake['wrong']): Mistake => ({
  wrong,
  error: RangeError,
  named,
});

function assertError(what: string, thrown: unknown, { error, named }: Mistake): void {
  if (!(thrown instanceof error)) throw new Error(`${what} gave ${thrown} and no ${error.name}`);
  const isNamed = thrown.message.split(/[^\w.]+/).includes(named);
  if (!isNamed) throw new Error(`${what}: the message does not name ${named}: ${thrown.message}`);
}

function describeMistake({ wrong }: Mistake): string {
  const parts = Object.entries(wrong).map(([name, value]) => {
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return `${name}: ${shown}`;
  });
  return parts.join(', ');
}

const OPTIONS = { keyType: 'u32', valueType: 'u32', maxCount: 100 } as const;

const OPTION_MISTAKES: readonly Mistake[] = [
  type('keyType', { keyType: undefined }),
  type('keyType', { keyType: 'u8' }),
  type('keyType', { keyType: 'toString' }),
  type('valueType', { valueType: 'f32' }),
  type('valueType', { valueType: null }),
  type('order', { order: 'down' }),
  type('maxCount', { maxCount: undefined }),
  type('maxCount', { maxCount: '100' }),
  type('maxCount', { maxCount: 100n }),
  range('maxCount', { maxCount: Number.NaN }),
  range('maxCount', { maxCount: -1 }),
  range('maxCount', { maxCount: 1.5 }),
  range('maxCount', { maxCount: Number.POSITIVE_INFINITY }),
  range('maxCount', { maxCount: 2 ** 32 }),
  type('keyBits', { keyType: 'f32', keyBits: { begin: 0, end: 8 }, approximate: true }),
  type('keyBits.end', { keyBits: { begin: 0 } }),
  range('keyBits.begin', { keyBits: { begin: -1, end: 8 } }),
  range('keyBits.begin', { keyBits: { begin: 0.5, end: 8 } }),
  range('keyBits.end', { keyBits: { begin: 0, end: 33 } }),
  range('keyBits.end', { keyBits: { begin: 9, end: 8 } }),
  range('keyBits.end', { keyType: 'f32', keyBits: { begin: 0, end: 33 } }),
  range('keyBits.end', { keyType: 'i64', keyBits: { begin: 0, end: 65 } }),
  range('keyBits.end', { keyType: 'u64', keyBits: { begin: 0, end: 65 } }),
  type('approximate', { approximate: true }),
  type('approximate', { keyType: 'f64', approximate: true }),
  type('approximate', { keyType: 'f32', approximate: 'yes' }),
  type('onWarning', { onWarning: 'console' }),
];

const optionsCheck: Check<Bench> = {
  name: 'create: a mistake is a TypeError or RangeError that names it',
  async run(bench) {
    const { maxBufferSize } = bench.device.limits;
    const inBuffer = (bytes: number): number => Math.floor(maxBufferSize / bytes);
    const mistakes = [
      ...OPTION_MISTAKES,
      range('maxCount', { maxCount: inBuffer(4) + 1 }),
      range('maxCount', { keyType: 'i64', maxCount: inBuffer(8) + 1 }),
      range('maxCount', { valueType: 'u64', maxCount: inBuffer(8) + 1 }),
    ];
    for (const mistake of mistakes) {
      const options = { ...OPTIONS, ...mistake.wrong } as unknown as GpuSorterOptions;
      const what = `create with ${describeMistake(mistake)}`;
      assertError(what, await rejection(bench.sorter(options)), mistake);
    }
  },
};

/** Mistakes in the arguments of a sort of at most 100 pairs, of buffers for as many. */
function argumentMistakes(bench: Bench, right: GpuSortArguments): Mistake[] {
  const { keys } = right;
  const short = bench.buffer(new Uint32Array(99));
  const counts = bench.buffer(new Uint32Array(2));
  const noStorage = bench.buffer(new Uint32Array(100), BufferUsage.COPY_SRC);
  return [
    type('keys', { keys: undefined }),
    type('keys', { keys: new Uint32Array(100) }),
    type('keys', { keys: noStorage }),
    range('keys', { keys: short }),
    type('values', { values: undefined }),
    type('values', { values: {} }),
    type('values', { values: keys }),
    type('values', { values: noStorage }),
    range('values', { values: short }),
    type('count', { count: undefined }),
    type('count', { count: '7' }),
    type('count', { count: null }),
    range('count', { count: -1 }),
    range('count', { count: 0.5 }),
    range('count', { count: Number.NaN }),
    range('count', { count: 101 }),
    type('count.buffer', { count: {} }),
    type('count.buffer', { count: { buffer: noStorage } }),
    type('count.buffer', { count: { buffer: keys } }),
    type('count.buffer', { count: { buffer: right.values } }),
    type('count.offset', { count: { buffer: counts, offset: '4' } }),
    range('count.offset', { count: { buffer: counts, offset: 2 } }),
    range('count.offset', { count: { buffer: counts, offset: -4 } }),
    range('count.buffer', { count: { buffer: counts, offset: 8 } }),
    type('offset', { offset: null }),
    range('offset', { offset: -1 }),
    range('offset', { offset: 1.5 }),
    range('keys', { offset: 1 }),
    range('keys', { count: { buffer: counts }, offset: 101 }),
  ];
}

/** What `encode` throws, if it does. */
function thrownBy(sorter: GpuSorter, encoder: GPUCommandEncoder, args: unknown): unknown {
  try {
    sorter.encode(encoder, args as GpuSortArguments);
    return undefined;
  } catch (error) {
    return error;
  }
}

const argumentsCheck: Check<Bench> = {
  name: 'encode: a mistake is a TypeError or RangeError that names it, and records nothing',
  async run(bench) {
    const sort: Sort = { ...OPTIONS, order: 'ascending', count: 100, distribution: SPECIAL };
    const sorter = await bench.sorter(optionsFor(sort));
    const alone = await bench.sorter({ keyType: 'u32', maxCount: 100 });
    const indexing = await bench.sorter({ ...OPTIONS, valueType: 'index' });
    const records = recordsFor(bench, sort);
    const right = records.args(100);
    const mistakes = argumentMistakes(bench, right);
    const recordMistakes = (encoder: GPUCommandEncoder): void => {
      for (const mistake of mistakes) {
        const thrown = thrownBy(sorter, encoder, { ...right, ...mistake.wrong });
        assertError(`encode with ${describeMistake(mistake)}`, thrown, mistake);
      }
      const superfluous = type('values', { values: 'superfluous' });
      assertError('encode', thrownBy(alone, encoder, right), superfluous);
      for (const mistake of [
        type('values', { values: undefined }),
        range('offset', { offset: 2 ** 32 - 99 }),
        range('keys', { offset: 2 ** 32 - 100 }),
      ]) {
        const thrown = thrownBy(indexing, encoder, { ...right, ...mistake.wrong });
        assertError(`encode with indices and ${describeMistake(mistake)}`, thrown, mistake);
      }
      for (const wrong of [undefined, null, {}, 'pass', bench.device]) {
        const thrown = thrownBy(sorter, wrong as unknown as GPUCommandEncoder, right);
        assertError(`encode into ${String(wrong)}`, thrown, type('encoder', {}));
      }
    };
    bench.submit(recordMistakes);
    await records.verify('no sort that was refused', []);
    bench.submit((encoder) => {
      recordMistakes(encoder);
      sorter.encode(encoder, right);
    });
    await records.verify(`after mistakes, ${describeSort(sort)}`, [{ offset: 0, count: 100 }]);
  },
};

const bindingCheck: Check<Bench> = {
  name: "encode: as many keys as a device binds, at an offset that they can't be bound from",
  async run(bench) {
    const { maxStorageBufferBindingSize, maxBufferSize } = bench.device.limits;
    const { bindingBytes = maxStorageBufferBindingSize } = bench.subject;
    const maxCount = Math.floor(Math.min(bindingBytes, maxBufferSize / 2) / 8);
    const sorter = await bench.sorter({ keyType: 'u64', maxCount });
    const size = 8 * (maxCount + 1);
    const keys = bench.device.createBuffer({ size, usage: BufferUsage.STORAGE });
    const encoder = bench.device.createCommandEncoder();
    sorter.encode(encoder, { keys, count: maxCount, offset: 1 });
    // Too long a binding would be an error of the device. To be submitted it takes too long.
    encoder.finish();
    keys.destroy();
  },
};

/** The checks of mistakes. */
export const GPU_ARGUMENT_CHECKS: readonly Check<Bench>[] = [
  optionsCheck,
  argumentsCheck,
  bindingCheck,
];
