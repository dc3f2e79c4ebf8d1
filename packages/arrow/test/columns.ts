/** Random columns of every type of Apache Arrow, in chunks. */

import type { Random } from '@keysweep/conformance/data';
import {
  Binary,
  BinaryView,
  Bool,
  type Data,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  DenseUnion,
  Dictionary,
  DurationMillisecond,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  IntervalDayTime,
  IntervalYearMonth,
  LargeBinary,
  LargeUtf8,
  List,
  Map_,
  makeData,
  Null,
  SparseUnion,
  Struct,
  TimeMicrosecond,
  TimeSecond,
  TimestampMillisecond,
  TimestampNanosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from 'apache-arrow';

/** A type, and a random value of it, few of which are different. */
interface Kind {
  readonly type: () => DataType;
  readonly value: (random: Random) => unknown;
}

const LETTERS = ['', 'a', 'b', 'ab', '\0', 'é', '\uffee', '🦊', 'a common beginning of ', 'zz'];
const text = (random: Random): string =>
  Array.from({ length: random.below(4) }, () => LETTERS[random.below(LETTERS.length)]).join('');
const bytes = (random: Random): Uint8Array => new TextEncoder().encode(text(random));
const small = (random: Random): number => random.below(9) - 4;
const float = (random: Random): number =>
  [Number.NaN, -0, 0, 1.5, -2.25, Number.POSITIVE_INFINITY, random.below(100)][
    random.below(7)
  ] as number;
const big = (random: Random): bigint => BigInt(small(random)) * 3_000_000_000n;

const SIMPLE: Record<string, Kind> = {
  Bool: { type: () => new Bool(), value: (random) => random.below(2) === 1 },
  Int8: { type: () => new Int8(), value: small },
  Int16: { type: () => new Int16(), value: small },
  Int32: { type: () => new Int32(), value: (random) => small(random) * 1e8 },
  Int64: { type: () => new Int64(), value: big },
  Uint8: { type: () => new Uint8(), value: (random) => random.below(256) },
  Uint16: { type: () => new Uint16(), value: (random) => random.below(9) },
  Uint32: { type: () => new Uint32(), value: (random) => random.bits() },
  Uint64: { type: () => new Uint64(), value: (random) => big(random) + 2n ** 63n },
  Float16: { type: () => new Float16(), value: float },
  Float32: { type: () => new Float32(), value: float },
  Float64: { type: () => new Float64(), value: float },
  DateDay: { type: () => new DateDay(), value: (random) => new Date(864e5 * small(random)) },
  DateMillisecond: {
    type: () => new DateMillisecond(),
    value: (random) => new Date(small(random)),
  },
  TimeSecond: { type: () => new TimeSecond(), value: (random) => random.below(60) },
  TimeMicrosecond: { type: () => new TimeMicrosecond(), value: (random) => big(random) },
  TimestampMillisecond: { type: () => new TimestampMillisecond(), value: small },
  TimestampNanosecond: { type: () => new TimestampNanosecond('UTC'), value: small },
  DurationMillisecond: { type: () => new DurationMillisecond(), value: big },
  Utf8: { type: () => new Utf8(), value: text },
  LargeUtf8: { type: () => new LargeUtf8(), value: text },
  Utf8View: { type: () => new Utf8View(), value: text },
  Binary: { type: () => new Binary(), value: bytes },
  LargeBinary: { type: () => new LargeBinary(), value: bytes },
  BinaryView: { type: () => new BinaryView(), value: bytes },
  FixedSizeBinary: {
    type: () => new FixedSizeBinary(3),
    value: (random) => Uint8Array.from({ length: 3 }, () => random.below(3)),
  },
};

/** A chunk of a type, with nulls where `isNull` says so. */
function chunkOf({ type, value }: Kind, rows: number, random: Random): Vector {
  const withNulls = random.below(2) === 0;
  const values = Array.from({ length: rows }, () =>
    withNulls && random.below(4) === 0 ? null : value(random),
  );
  return vectorFromArray(values, type());
}

/** Decimals and months, which no builder takes as numbers, from random words. */
function wordsOf(type: DataType, words: number, rows: number, random: Random): Data {
  const nullBitmap = random.below(2) === 0 ? null : random.fill(new Uint8Array(rows / 8 + 1));
  const data = random.fill(new Uint32Array(words * rows));
  // Often the highest words alone differ, or the lowest alone.
  const kept = random.below(words + 1);
  const areLow = random.below(2) === 0;
  for (let i = 0; i < data.length; i++) {
    if (i % words < kept === areLow) data[i] = random.below(2);
  }
  const made = new Int32Array(data.buffer);
  return makeData({ type, length: rows, nullBitmap, data: words === 1 ? made : data } as never);
}

const decimal = (bits: number) => (rows: number, random: Random) =>
  new Vector([wordsOf(new Decimal(2, 9, bits), bits / 32, rows, random)]);

type MakeChunk = (rows: number, random: Random) => Vector;

/**
 * Codes of a dictionary of each chunk's own, in which values may be null, and repeated. By its `id`
 * chunks are known to be of one type.
 */
function dictionary(
  kind: Kind | undefined,
  indices: Int8 | Uint8 | Uint16 | Int32,
  id: number,
): MakeChunk {
  if (kind === undefined) throw new Error('there is no such kind');
  return (rows, random) => {
    const values = chunkOf(kind, 1 + random.below(12), random);
    const type = new Dictionary(kind.type(), indices, id);
    const nullBitmap = random.below(2) === 0 ? null : random.fill(new Uint8Array(rows / 8 + 1));
    const codes = Array.from({ length: rows }, () => random.below(values.length));
    const data = (indices.ArrayType as typeof Int32Array).from(codes);
    const props = { type, length: rows, nullBitmap, data, dictionary: values };
    return new Vector([makeData(props as never)]);
  };
}

/** Columns that order rows. */
export const ORDERED: Readonly<Record<string, MakeChunk>> = {
  ...Object.fromEntries(
    Object.entries(SIMPLE).map(([name, kind]) => [
      name,
      (rows: number, random: Random) => chunkOf(kind, rows, random),
    ]),
  ),
  Null: (rows) => new Vector([makeData({ type: new Null(), length: rows })]),
  Decimal32: decimal(32),
  Decimal64: decimal(64),
  Decimal128: decimal(128),
  Decimal256: decimal(256),
  IntervalYearMonth: (rows, random) =>
    new Vector([wordsOf(new IntervalYearMonth(), 1, rows, random)]),
  'Dictionary<Utf8>': dictionary(SIMPLE.Utf8, new Int32(), 0),
  'Dictionary<LargeUtf8>': dictionary(SIMPLE.LargeUtf8, new Int8(), 1),
  'Dictionary<Float64>': dictionary(SIMPLE.Float64, new Uint8(), 2),
  'Dictionary<Int32>': dictionary(SIMPLE.Int32, new Uint16(), 3),
};

const field = (name: string, type: DataType): Field => new Field(name, type, true);

function unionOf(rows: number, random: Random, isDense: boolean): Vector {
  const kinds = [SIMPLE.Int32, SIMPLE.Utf8] as Kind[];
  const fields = kinds.map(({ type }, i) => field(`${i}`, type()));
  const typeIds = Int8Array.from({ length: rows }, () => (random.below(2) === 0 ? 5 : 2));
  const counts = [0, 0];
  const valueOffsets = Int32Array.from(typeIds, (id) => {
    const child = id === 5 ? 0 : 1;
    counts[child] = (counts[child] as number) + 1;
    return (counts[child] as number) - 1;
  });
  const children = kinds.map((kind, i) => {
    return chunkOf(kind, isDense ? (counts[i] as number) : rows, random).data[0] as Data;
  });
  const type = new (isDense ? DenseUnion : SparseUnion)([5, 2], fields);
  const offsets = isDense ? { valueOffsets } : {};
  const props = { type, length: rows, typeIds, children, ...offsets };
  return new Vector([makeData(props as never)]);
}

const list = (random: Random): (number | null)[] =>
  Array.from({ length: random.below(4) }, () => (random.below(5) === 0 ? null : small(random)));

/** Columns that are carried alone. */
export const NESTED: Readonly<Record<string, MakeChunk>> = Object.fromEntries([
  ...Object.entries({
    List: { type: () => new List(field('item', new Int32())), value: list },
    'List<List<Utf8>>': {
      type: () => new List(field('item', new List(field('item', new Utf8())))),
      value: (random) => list(random).map(() => [text(random), text(random)]),
    },
    FixedSizeList: {
      type: () => new FixedSizeList(2, field('item', new Int32())),
      value: (random) => [small(random), small(random)],
    },
    Struct: {
      type: () =>
        new Struct([field('a', new Int16()), field('b', new List(field('c', new Utf8())))]),
      value: (random) => ({ a: small(random), b: [text(random)] }),
    },
    Map: {
      type: () =>
        new Map_(
          new Field(
            'entries',
            new Struct([field('key', new Utf8()), field('value', new Int32())]) as never,
          ),
        ),
      value: (random) => new Map([[text(random), small(random)]]),
    },
  } satisfies Record<string, Kind>).map(([name, kind]: [string, Kind]) => [
    name,
    (rows: number, random: Random) => chunkOf(kind, rows, random),
  ]),
  ['DenseUnion', (rows: number, random: Random) => unionOf(rows, random, true)],
  ['SparseUnion', (rows: number, random: Random) => unionOf(rows, random, false)],
  [
    'IntervalDayTime',
    (rows: number, random: Random) =>
      new Vector([
        makeData({
          type: new IntervalDayTime(),
          length: rows,
          data: Int32Array.from({ length: 2 * rows }, () => random.below(9)),
        }),
      ]),
  ],
]);

/** Rows of a column in up to four chunks, some of them empty or slices of longer ones. */
export function chunks(make: MakeChunk, rows: number, random: Random): Data[] {
  const ends = Array.from({ length: random.below(4) }, () => random.below(rows + 1));
  const bounds = [0, ...ends.sort((a, b) => a - b), rows];
  return bounds.slice(1).map((end, i) => {
    const length = end - (bounds[i] as number);
    const before = random.below(3) === 0 ? random.below(20) : 0;
    const whole = make(length + before + random.below(3), random).data[0] as Data;
    return whole.length === length ? whole : whole.slice(before, length);
  });
}
