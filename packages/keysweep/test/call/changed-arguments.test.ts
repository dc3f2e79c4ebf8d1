/**
 * A caller may change lists, descriptions and options once a call has returned its promise, and may
 * make another call on the same arrays: what counts is what was passed, in the order of the calls.
 */

import {
  argsort,
  argsortRows,
  type Column,
  type ColumnOptions,
  gather,
  type PreparedColumn,
  prepare,
  type RowBy,
  type RowColumn,
  select,
  sort,
  sortRows,
  topK,
} from 'keysweep';
import { groupBy } from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';

/** A call, and what its caller changes right afterwards. */
type Made = readonly [call: Promise<unknown>, change: () => unknown];

interface Row {
  readonly a: number;
  readonly b: number;
}
const ROWS: readonly Row[] = [
  { a: 2, b: 1 },
  { a: 1, b: 3 },
  { a: 1, b: 2 },
];

const keysOf = (): Uint8Array => Uint8Array.of(2, 3, 1);

/** Options of any call, which a caller can change. */
const ascending = (): { order: 'ascending' | 'descending' } => ({ order: 'ascending' });

const reverse = (given: { order?: unknown }): void => {
  given.order = 'descending';
};

class Described {
  readonly keys: Uint8Array;
  order: 'ascending' | 'descending' = 'ascending';
  constructor(keys: Uint8Array) {
    this.keys = keys;
  }
}

class Text {
  readonly offsets: Int32Array = Int32Array.of(0, 1, 2);
  readonly bytes: Uint8Array = Uint8Array.of(98, 97);
}

describe('changes after a call are not seen', () => {
  const byList = (): RowBy<Row>[] & RowColumn<Row>[] => [{ key: 'a' }, { key: 'b' }];

  const CASES: Readonly<Record<string, () => Made>> = {
    'of the rows of sortRows': () => {
      const rows = [...ROWS];
      return [sortRows(rows, 'a'), () => rows.pop()];
    },
    'of the keys of sortRows': () => {
      const by = byList();
      return [sortRows(ROWS, by), () => by.reverse()];
    },
    'of a key of sortRows': () => {
      const by = { key: 'a', ...ascending() } as const;
      return [sortRows(ROWS, by), () => reverse(by)];
    },
    'of a key in a list of argsortRows': () => {
      const by = byList();
      return [argsortRows(ROWS, by), () => reverse(by[1] as RowColumn<Row>)];
    },
    'of the keys of argsortRows': () => {
      const by = byList();
      return [argsortRows(ROWS, by), () => by.shift()];
    },
    'of the options of sortRows': () => {
      const options = ascending();
      return [sortRows(ROWS, 'a', options), () => reverse(options)];
    },
    'of the options of argsortRows': () => {
      const options = ascending();
      return [argsortRows(ROWS, 'a', options), () => reverse(options)];
    },
    'of the columns of argsort': () => {
      const columns: Column[] = [{ keys: Uint8Array.of(1, 1, 1) }, keysOf()];
      return [argsort(columns), () => columns.pop()];
    },
    'of a column of argsort': () => {
      const column = { keys: keysOf(), ...ascending() };
      return [argsort([column]), () => reverse(column)];
    },
    'of a column that is an instance of a class': () => {
      const column = new Described(keysOf());
      return [argsort([column]), () => reverse(column)];
    },
    'of text that is an instance of a class': () => {
      const text = new Text();
      return [
        argsort({ keys: text }),
        () => Object.assign(text, { offsets: Int32Array.of(0, 0, 2) }),
      ];
    },
    'of the strings of a column': () => {
      const strings = ['b', 'a'];
      return [argsort({ keys: strings }), () => strings.reverse()];
    },
    'of the segments of a column': () => {
      const segments = Uint32Array.of(0, 2);
      return [argsort({ keys: keysOf() }, { segments }), () => segments.fill(0)];
    },
    'of the segments of an order into an array': () => {
      const segments = Uint32Array.of(0, 2);
      const out = new Uint32Array(3);
      return [argsort(keysOf(), { segments, out }), () => segments.fill(0)];
    },
    'of columns of which some rows are chosen': () => {
      const columns = [Uint8Array.of(1, 1, 1), keysOf()];
      return [argsort(columns, { indices: Uint32Array.of(0, 1, 2) }), () => columns.pop()];
    },
    'of the bits of columns of which some rows are chosen': () => {
      const keyBits = { begin: 0, end: 1 };
      const indices = Uint32Array.of(0, 1, 2);
      return [argsort(keysOf(), { indices, keyBits }), () => Object.assign(keyBits, { end: 8 })];
    },
    'of the options of topK': () => {
      const options = ascending();
      return [topK(keysOf(), 1, options), () => reverse(options)];
    },
    'of the columns of topK': () => {
      const column = { keys: ['b', 'c', 'a'], ...ascending() };
      return [topK([column], 1), () => reverse(column)];
    },
    'of the options of select': () => {
      const options = ascending();
      return [select(keysOf(), 0, options), () => reverse(options)];
    },
    'of the column of prepare': () => {
      const column: ColumnOptions & { keys: unknown } = { keys: keysOf() };
      return [prepare(column), () => Object.assign(column, { keys: Uint8Array.of(1) })];
    },
    'of a prepared column': () => {
      const column: PreparedColumn = {
        ...{ length: 2, byteLength: 2, ranks: Uint16Array.of(1, 0), values: 2 },
        ...{ hasNans: false, hasNulls: false, order: undefined, nulls: 'last', nans: undefined },
      };
      return [argsort(column), () => Object.assign(column, { order: 'descending' })];
    },
    'of the sources of gather': () => {
      const sources = [keysOf(), Uint16Array.of(4, 5, 6)];
      return [gather(sources, Uint32Array.of(2, 0)), () => sources.reverse()];
    },
    'of the strides of gather': () => {
      const stride = [1, 2];
      const sources = [Uint8Array.of(2, 3), Uint16Array.of(4, 5, 6, 7)];
      return [gather(sources, Uint32Array.of(1), { stride }), () => stride.fill(1)];
    },
    'of the columns of groupBy': () => {
      const column = { keys: ['b', 'a'], ...ascending() };
      return [groupBy([column]), () => reverse(column)];
    },
  };

  it.each(Object.entries(CASES))('%s', async (_, make) => {
    const [expected] = make();
    const [call, change] = make();
    change();
    expect(await call).toEqual(await expected);
  });
});

describe('a later sort of the same keys waits for', () => {
  const CASES: Readonly<Record<string, (keys: Uint8Array) => Promise<unknown>>> = {
    topK: (keys) => topK(keys, 2),
    'topK of a column': (keys) => topK({ keys }, 2),
    select: (keys) => select(keys, 0),
    gather: (keys) => gather(keys, Uint32Array.of(0, 1, 2)),
    prepare: (keys) => prepare(keys),
    'argsort of a column': (keys) => argsort({ keys }),
  };

  it.each(Object.entries(CASES))('%s', async (_, call) => {
    const expected = await call(keysOf());
    const keys = keysOf();
    const called = call(keys);
    await sort(keys);
    expect(await called).toEqual(expected);
  });
});
