/** The transforms for charts of the documents, as they stand there, beside the charts' own. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { dot, filter, lineY, type Markish, plot, reverse, sort, windowY } from '@observablehq/plot';
import { JSDOM } from 'jsdom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { readRecipe } from '../../../../tools/test/recipes.js';

/** From here keysweep and the libraries are found. */
const GENERATED = fileURLToPath(new URL('generated/', import.meta.url));
const random = testRandom();
const COUNT = 500;

interface Row {
  readonly id: number;
  readonly day: Date;
  readonly delay: number | null;
  readonly name: string;
}

const makeRows = (count = COUNT): Row[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    day: new Date(864e5 * random.below(60)),
    delay: random.below(9) === 0 ? null : random.below(40) - 20,
    name: ['Ada', 'Émile', 'Ben', 'Zoë'][random.below(4)] as string,
  }));

let folder: string;
beforeAll(async () => {
  await mkdir(GENERATED, { recursive: true });
  folder = await mkdtemp(join(GENERATED, 'charts-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(name: string): Promise<Record<string, unknown>> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, await readRecipe(name));
  return import(pathToFileURL(file).href);
}

describe(`transforms of charts (KEYSWEEP_SEED=${runSeed()})`, () => {
  const { document } = new JSDOM('').window;
  const drawn = (...marks: Markish[]): string =>
    plot({ document, fx: { label: null }, marks }).outerHTML;

  type SortBy = (by: unknown, options?: object) => object;
  let sortBy: SortBy;
  beforeAll(async () => {
    ({ sortBy } = (await load('plot')) as { sortBy: SortBy });
  });

  it('draws a line of windows as Plot.sort does', () => {
    const rows = makeRows();
    const encoding = { x: 'day', y: 'id' };
    const own = lineY(rows, windowY({ k: 5 }, sort('day', encoding)));
    const ours = lineY(rows, windowY({ k: 5 }, sortBy('day', encoding)));
    expect(drawn(ours)).toBe(drawn(own));
    expect(drawn(ours)).not.toBe(drawn(lineY(rows, windowY({ k: 5 }, encoding))));
  });

  it.each(['ascending', 'descending'] as const)('draws facets after a filter: %s', (order) => {
    const rows = makeRows();
    const encoding = { x: 'id', y: 'day', fx: 'name', filter: (row: Row) => row.id % 3 > 0 };
    const own = dot(rows, sort({ value: 'delay', order }, encoding));
    const ours = dot(rows, sortBy({ key: 'delay', order }, encoding));
    expect(drawn(ours)).toBe(drawn(own));
    expect(drawn(ours)).not.toBe(drawn(dot(rows, encoding)));
  });

  it('is one of several transforms', () => {
    const rows = makeRows();
    const even = (row: Row) => row.id % 2 === 0;
    const own = reverse(filter(even, sort('name', { x: 'day', y: 'id' })));
    const ours = reverse(filter(even, sortBy('name', { x: 'day', y: 'id' })));
    expect(drawn(dot(rows, ours))).toBe(drawn(dot(rows, own)));
  });
});

describe(`a transform of Vega (KEYSWEEP_SEED=${runSeed()})`, () => {
  const major = { signal: 'major' };
  const own = {
    type: 'collect',
    sort: { field: [major, 'name'], order: ['descending', 'ascending'] },
  };
  const ours = {
    type: 'keysweepsort',
    field: [major, 'name'],
    order: ['descending', 'ascending'],
  };
  const specOf = (values: readonly Row[], sort: object) => ({
    width: 300,
    height: 300,
    signals: [
      { name: 'least', value: 0 },
      { name: 'major', value: 'delay' },
    ],
    data: [
      {
        name: 'rows',
        values,
        transform: [
          { type: 'filter', expr: 'datum.id >= least' },
          sort,
          { type: 'window', ops: ['row_number'], as: ['place'] },
        ],
      },
      { name: 'some', source: 'rows', transform: [{ type: 'filter', expr: 'datum.id % 3' }] },
    ],
    marks: [
      {
        type: 'line',
        from: { data: 'rows' },
        encode: { update: { x: { field: 'place' }, y: { field: 'id' } } },
      },
      {
        type: 'symbol',
        from: { data: 'some' },
        encode: { update: { x: { field: 'id' }, y: { field: 'place' } } },
      },
    ],
  });

  it('keeps rows in order as collect does, through changes of data and signals', async () => {
    const vega = await import('vega');
    await load('vega');
    const rows = makeRows();
    const views = [own, ours].map((sort) => {
      // It writes into the rows.
      const spec = specOf(structuredClone(rows), sort) as never;
      return new vega.View(vega.parse(spec), { renderer: 'none' });
    });
    const more = makeRows(20).map((row) => ({ ...row, id: row.id + COUNT }));
    const late = (row: Row) => row.delay === 5;
    const changes: ((view: (typeof views)[number]) => unknown)[] = [
      () => {},
      (view) => view.signal('least', 200),
      (view) => view.signal('major', 'day'),
      (view) => view.insert('rows', structuredClone(more)),
      (view) => view.signal('least', 0),
      (view) => view.remove('rows', (row: Row) => row.name === 'Ben'),
      (view) => view.change('rows', vega.changeset().modify(late, 'delay', 17)),
      (view) => view.signal('major', 'delay'),
    ];
    const seen = new Set<string>();
    for (const change of changes) {
      const [wanted, got] = await Promise.all(
        views.map(async (view) => {
          change(view);
          await view.runAsync();
          const data = [view.data('rows'), view.data('some')];
          const ids = data.map((rows) => rows.map(({ id, place }) => [id, place]));
          return { ids, svg: await view.toSVG() };
        }),
      );
      expect(got).toEqual(wanted);
      seen.add(JSON.stringify(got?.ids));
    }
    // But for the change of delays, which are no key then, each changes the order.
    expect(seen.size).toBe(changes.length - 1);
    for (const view of views) view.finalize();
  });
});
