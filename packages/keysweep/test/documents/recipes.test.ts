/** The recipes of the documents, as they stand there, beside the libraries' own sorts. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { createTable, getCoreRowModel, getSortedRowModel } from '@tanstack/table-core';
import { tableFromArrays } from '@uwdata/flechette';
import { desc, table as makeTable, op } from 'arquero';
import Flatbush from 'flatbush';
import { argsort, type ColumnOptions, toSorted } from 'keysweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { readRecipe } from '../../../../tools/test/recipes.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const random = testRandom();
const COUNT = 2000;

let folder: string;
beforeAll(async () => {
  // Here keysweep is found.
  folder = await mkdtemp(join(here, 'recipe-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(name: string): Promise<Record<string, (...args: never[]) => unknown>> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, await readRecipe(name));
  return import(pathToFileURL(file).href);
}

/** Few different numbers, zeros of both signs and NaN among them. */
const floats = (): Float64Array =>
  Float64Array.from({ length: COUNT }, () => {
    const number = random.below(300) - 150;
    return number === 1 ? Number.NaN : number === 2 ? -0 : number / 4;
  });

/** The widths and heights of all nodes of a flatbush index, added up. */
function perimeter(data: ArrayBufferLike, count: number): number {
  const isLong = data.byteLength >= 8 + 16_384 * 36;
  const nodes = (data.byteLength - 8) / (32 + (isLong ? 4 : 2));
  const boxes = new Float64Array(data, 8, 4 * nodes);
  let sum = 0;
  for (let i = 4 * count; i < boxes.length; i += 4) {
    const [minX, minY, maxX, maxY] = boxes.subarray(i, i + 4) as unknown as number[];
    sum += (maxX as number) - (minX as number) + (maxY as number) - (minY as number);
  }
  return sum;
}

describe(`recipes (KEYSWEEP_SEED=${runSeed()})`, () => {
  it.each([false, true])('orders rows as arquero does, filtered: %s', async (isFiltered) => {
    const { orderRows } = await load('arquero');
    const whole = makeTable({
      day: Int32Array.from({ length: COUNT }, () => random.below(20)),
      name: Array.from({ length: COUNT }, () => random.bits().toString(36).slice(0, 2)),
      delay: floats(),
      row: Uint32Array.from({ length: COUNT }, (_, i) => i),
    });
    const table = isFiltered ? whole.filter((d: { day: number }) => d.day > 7) : whole;
    const rows = (ordered: typeof table) => ordered.array('row');
    for (const [name, order] of [
      ['delay', 'ascending'],
      ['delay', 'descending'],
      ['name', 'descending'],
    ] as const) {
      const keys = [{ name: 'day' }, { name, order }] as never;
      const ordered = (await orderRows?.(table as never, keys)) as typeof table;
      const own = table.orderby('day', order === 'descending' ? desc(name) : name).reify();
      expect(ordered.numRows()).toBe(table.numRows());
      expect(rows(ordered)).toEqual(rows(own));
    }
  });

  it.each([
    ['day', false],
    ['name', false],
    ['name', true],
  ])('sums groups as arquero does, by %s, filtered: %s', async (key, isFiltered) => {
    const { sumGroups } = await load('arquero-groups');
    const whole = makeTable({
      day: Float64Array.from({ length: COUNT }, () => [-0, 0, 3, -7.5][random.below(4)] as number),
      name: Array.from({ length: COUNT }, () => random.bits().toString(36).slice(0, 2)),
      delay: Int32Array.from({ length: COUNT }, () => random.below(500) - 250),
    });
    const table = isFiltered ? whole.filter((d: { delay: number }) => d.delay > 7) : whole;
    const groups = (await sumGroups?.(table as never, key as never, 'delay' as never)) as never;
    const own = table.groupby(key).rollup({ count: op.count(), sum: op.sum('delay') });
    const normal = (rows: object[]): object[] =>
      rows.map((row) => ({ ...row, ...('day' in row && { day: Number(row.day) + 0 }) }));
    expect(normal((groups as typeof own).objects())).toEqual(normal(own.orderby(key).objects()));
  });

  it('sorts rows as TanStack Table does', async () => {
    const { sortForTable } = await load('tanstack-table');
    const data = Array.from({ length: COUNT }, (_, row) => ({
      row,
      city: random.bits().toString(36).slice(0, 1),
      person: { age: random.below(9) },
    }));
    const table = createTable<(typeof data)[number]>({
      data,
      columns: [
        { accessorKey: 'city', sortingFn: 'basic' },
        { id: 'age', accessorFn: ({ person }) => person.age, sortingFn: 'basic' },
      ],
      state: {},
      onStateChange: () => {},
      renderFallbackValue: null,
      getCoreRowModel: getCoreRowModel(),
      getSortedRowModel: getSortedRowModel(),
    });
    const keys = { age: { key: ({ person }: (typeof data)[number]) => person.age } };
    for (const sorting of [
      [],
      [{ id: 'city', desc: true }],
      [
        { id: 'age', desc: true },
        { id: 'city', desc: false },
      ],
    ]) {
      table.setOptions((options) => ({ ...options, state: { ...table.initialState, sorting } }));
      const own = table.getSortedRowModel().rows.map(({ original }) => original.row);
      const sorted = await sortForTable?.(data as never, sorting as never, keys as never);
      expect((sorted as typeof data).map(({ row }) => row)).toEqual(own);
    }
  });

  it.each([1, 16, 17, 2000, 17_000])('indexes %i boxes as flatbush does', async (count) => {
    const { indexBoxes } = await load('flatbush');
    const boxes = new Float64Array(4 * count);
    const own = new Flatbush(count);
    for (let i = 0; i < boxes.length; i += 4) {
      const [x, y] = [random.unit(), random.unit()];
      boxes.set([x, y, x + random.unit() / 99, y + random.unit() / 99], i);
      own.add(...(boxes.subarray(i, i + 4) as unknown as [number, number, number, number]));
    }
    own.finish();
    const index = (await indexBoxes?.(boxes as never)) as Flatbush;
    for (let query = 0; query < 20; query++) {
      const [x, y, width] = [random.unit(), random.unit(), random.unit() ** 3];
      const box = [x, y, x + width, y + width] as const;
      expect(index.search(...box).sort()).toEqual(own.search(...box).sort());
    }
    expect(index.data.byteLength).toBe(own.data.byteLength);
    // As good a tree: its boxes of nodes take as much room, give or take some ties of places.
    expect(perimeter(index.data, count)).toBeLessThan(1.01 * perimeter(own.data, count));
  });

  it('ranks and sorts as d3-array does', async () => {
    // It brings no types.
    const d3 = await import('d3-array' as string);
    const { rank } = await load('d3-array');
    const values = floats();
    expect(await rank?.(values as never)).toEqual(d3.rank(values));
    const sorted: number[] = d3.sort(values);
    // Of −0 and +0 it keeps the order that they are given in.
    expect(Array.from(await toSorted(values), (key) => key + 0)).toEqual(
      sorted.map((key) => key + 0),
    );
  });

  it('orders columns of flechette', async () => {
    const { keysOf } = await load('flechette');
    const days = Array.from({ length: COUNT }, () =>
      random.below(5) === 0 ? null : random.below(9),
    );
    const names = Array.from({ length: COUNT }, () => `name ${random.below(99)}`);
    const { utf8 } = await import('@uwdata/flechette');
    const table = tableFromArrays({ days, names }, { types: { names: utf8() } });
    const [day, name] = ['days', 'names'].map(
      (column) => keysOf?.(table.getChild(column) as never) as ColumnOptions,
    ) as [ColumnOptions, ColumnOptions];
    const wanted = Uint32Array.from(days, (_, i) => i).sort((a, b) => {
      const [dayA, dayB] = [days[a] ?? -1, days[b] ?? -1];
      if (dayA !== dayB) return (dayB as number) - (dayA as number);
      const [nameA, nameB] = [names[a] as string, names[b] as string];
      return nameA < nameB ? -1 : nameA > nameB ? 1 : a - b;
    });
    expect(await argsort([{ ...day, order: 'descending' }, name])).toEqual(wanted);
    const batches = { data: [{}, {}] } as never;
    expect(() => keysOf?.(batches)).toThrow(/one batch/);
  });
});
