/**
 * The structs in memory through which the host and the kernels talk. The build reads this file and
 * generates the fields' offsets for the host (generated/cpu-blocks.ts): only fields of type u32 and
 * u64, one a line. All fields are little-endian; blocks are aligned to 8 bytes.
 */

/** How keys are ordered: see order.ts for the formula. Written by the host. */
@unmanaged
export class Order {
  flip: u64;
  bias: u64;
  ceiling: u64;
  /**
   * At most the least magnitude of a float, 0 unless there are numbers of both signs. For a window,
   * the word that it begins with.
   */
  gap: u64;
  /** Lowest bit of a word that decides. */
  begin: u32;
  /** One above the highest such bit. */
  end: u32;
  /** 1 for descending order. */
  descending: u32;
  /** 1 where records agree in all bits of their words outside [begin, end). */
  whole: u32;
  /** Counted floats: the bits of a double, the least of them. */
  least: u64;
  /** The bits of a double: steps per unit, or 0 where words decide on their own. */
  scale: u64;
}

/** Rows that are moved. Written by the host. Addresses are in bytes. */
@unmanaged
export class Gather {
  /** Row numbers (u32). */
  order: u32;
  source: u32;
  target: u32;
  /** Rows of the source. */
  rows: u32;
  /** Bytes of a row. */
  width: u32;
}

/** Numbers that are divided by splitters. Written by the host. Addresses are in bytes. */
@unmanaged
export class Split {
  /** How bits become the word that decides the order: see split.ts. */
  positive: u64;
  differs: u64;
  bias: u64;
  ceiling: u64;
  flip: u64;
  /** The place of the first number in the file. The others follow it. */
  place: u64;
  /** Words below it are in the first cell, those above the last cell in that. */
  base: u64;
  /** A cell has 2^shift words: the least shift near the base, the most far from it. */
  minShift: u32;
  maxShift: u32;
  lastCell: u32;
  /** The part of each cell (u16), or 0xffff for one that a splitter divides. */
  cells: u32;
  /**
   * Words of 255 splitters, ascending and as wide as a number, and their places (u64), which
   * ascend among equal words. Behind the last one all bits are set, in 256 entries of both.
   */
  words: u32;
  places: u32;
  /** Bytes of a number: 4 or 8. */
  width: u32;
  numbers: u32;
  /** The part of each number (u8). Written by `classify`. */
  parts: u32;
  /** Numbers of each part (u32), to which `classify` adds. */
  counts: u32;
  /** Where the next number of each part goes (u32): an address, which `scatter` moves on. */
  cursors: u32;
}

/**
 * Keys that are sought by their words: see selection.ts. Written by the host, but for what `find`
 * writes. Addresses are in bytes.
 */
@unmanaged
export class Sought {
  /** How bits become a word. */
  differs: u64;
  bias: u64;
  /** Words above it are ties with it. */
  ceiling: u64;
  /** The least and the largest word that are sought. */
  least: u64;
  most: u64;
  /** The word of which at most `maxTies` keys are wanted. */
  tie: u64;
  maxTies: u32;
  /** Bytes of a key: 1, 2, 4 or 8. */
  width: u32;
  /** A multiple of 16. Up to 127 bytes behind the last key are read, too. */
  keys: u32;
  /** The number of the first key. */
  firstRow: u32;
  /** Where the numbers of the keys that are found go (u32), with room for all. */
  rows: u32;
  /** 1 where words below the least are counted. */
  isCounted: u32;
  /** Keys with a word below the least, if they are counted. Written by `find`. */
  below: u32;
  /** Keys with the word of ties. Written by `find`. */
  ties: u32;
}

/** Strings that are spelt: see spelling.ts. Written by the host. Addresses are in bytes. */
@unmanaged
export class Spelling {
  /** By code unit: its symbol (u16). */
  symbols: u32;
  /** By two letters: 1 where they do not stand for themselves (u8). */
  refused: u32;
  /** By three letters: 1 where a string has them (u8). Written by `spell`. */
  seen: u32;
  /**
   * By letter: how many characters it has, 1 of none, and how many all letters before it have
   * (u32).
   */
  sizes: u32;
  before: u32;
  /** Letters, and one more for none. */
  count: u32;
  /** Characters, and one more for none. */
  all: u32;
  /** 1 where digits in a row are a number. */
  isNumeric: u32;
  /** The letters that most strings begin with (u8). */
  stem: u32;
  stemLength: u32;
  /** Letters in each half of a word. */
  perHalf: u32;
  /** The strings in UTF-8, with a byte between two, and how many code units each has (u32). */
  text: u32;
  lengths: u32;
  /** The number of the first string, and of symbols before its own. */
  first: u32;
  at: u32;
  /**
   * Where symbols (u16) go, and 128 bytes behind them. All below is written by `spell`.
   */
  room: u32;
  /** By string: the number of symbols up to its end (u32), and its rest (f64). */
  ends: u32;
  rests: u32;
  /** The words (u64) and numbers (u32) of the strings that are spelt, and the others' numbers. */
  words: u32;
  numbers: u32;
  others: u32;
}

/** What a survey found in a slice of the keys. Written by `survey`. */
@unmanaged
export class Survey {
  /** Smallest and largest word before the ceiling and without a gap. */
  minimum: u64;
  maximum: u64;
  /** Least magnitude of a float; undefined for other keys. */
  least: u64;
  /** 1 when some word is below the word before it. */
  descends: u32;
  /** 1 when some word is above the word before it. */
  ascends: u32;
}

/**
 * What a kernel works on: the parameters of all kernels, a block for each thread. The host writes
 * the fields that a phase needs before it calls the phase's kernel. Addresses are in bytes from the
 * start of the memory; `first`, `last` and `n` in the kernels' own parameters count records,
 * segments or buckets.
 */
@unmanaged
export class Job {
  /** Which instance of a kernel: see constants.ts. */
  variant: u32;
  /** Keys on their own: survey, pack and unpack. ABSENT for keys that are not wanted back. */
  keyFormat: u32;
  keys: u32;
  /**
   * Payloads on their own: pack and unpack. ABSENT makes a record's payload its index. Counted
   * rows: the rows (u32), or 0 where they are the places of the keys.
   */
  valueFormat: u32;
  values: u32;
  /** Row numbers (u32) in the order by earlier columns, which pack follows; 0 for none. */
  indices: u32;
  /** The records, and as much memory for the passes to write. */
  records: u32;
  spare: u32;
  /** 1 where runs and buckets shall end in `spare`. */
  endsInSpare: u32;
  /**
   * buckets: memory for the longest of them, where `records` shall stay as they are and buckets end
   * in `spare`; or 0.
   */
  aside: u32;
  /** The order block of whole keys. */
  order: u32;
  /** The digit of count, scan and scatter: its lowest bit, or the mantissa bits of a magnitude. */
  shift: u32;
  /** Bits of that digit. */
  width: u32;
  /** The digit value with which the order begins; it goes up from there and around. */
  firstValue: u32;
  /** scatter: 1 to move both halves of a slice at once. */
  atOnce: u32;
  /** scatter: 1 to read the memory that a block of a slice goes to before. */
  readsAhead: u32;
  /** Counted rows: bits of the top digit of their values. */
  digitWidth: u32;
  /**
   * scan, skip: counts of `slices` slices, 8 << PARTITION_BITS bytes apart. Counted rows: tables of
   * as many slices, one behind the other.
   */
  counts: u32;
  slices: u32;
  /**
   * scan, skip, scatter: 2^width cursors, and as much memory again for a scatter at once. Counted
   * rows: one for each digit, or for each value of a digit.
   */
  cursors: u32;
  /** scan: the number of the first record. */
  start: u32;
  /**
   * Bounds (u32 record numbers). scan writes the bounds of 2^width buckets and one more, then for
   * each bucket one above the highest bit in which its records may differ. buckets reads all of
   * them; runs reads the bounds of segments. scanDigits writes the bounds of 2^digitWidth digits
   * and one more.
   */
  bounds: u32;
  /** Memory for the counters of runs and buckets: RUN_COUNTER_BYTES. */
  counters: u32;
  /** buckets: buckets of this many records are left out. */
  oversizedFrom: u32;
  /** buckets: order blocks of the buckets [negativesFrom, negativesTo), and of all others. */
  negativeOrder: u32;
  positiveOrder: u32;
  negativesFrom: u32;
  negativesTo: u32;
}
