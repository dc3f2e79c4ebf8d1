/** A few quantiles by `select`, all of them by one `sort` of segments; Observable Plot draws. */

import * as Plot from '@observablehq/plot';
import { select, sort } from 'keysweep';
import { makeValues, SERVICES, valuesOf } from './values.js';

const byId = (id) => document.getElementById(id);
byId('isolation').hidden = crossOriginIsolated;

// Few people look into the console: what went wrong is said on the page.
const say = (sentence) => {
  byId('select-time').textContent = sentence;
};
addEventListener('error', ({ error }) => error && say(error.message));
addEventListener('unhandledrejection', ({ reason }) => say(reason.message));

const count = Number(new URLSearchParams(location.search).get('values') ?? 10_000_000);
if (!Number.isInteger(count) || count < 1000) {
  throw new RangeError('?values= takes a whole number from 1,000 on.');
}
if (count !== 10_000_000) byId('count').textContent = count.toLocaleString('en');
// Lets the page be drawn first.
await new Promise((resolve) => setTimeout(resolve));
const data = makeValues(count);

/** The place in a sorted array of `length` where a share of the values lies before. */
const placeOf = (share, length) => Math.min(length - 1, Math.floor(share * length));

/** Runs `work`, and says in the element `id` how long it took. */
async function timed(id, what, work) {
  const start = performance.now();
  const result = await work();
  byId(id).textContent = `${what}: ${(performance.now() - start).toFixed(0)} ms.`;
  return result;
}

// A few quantiles: `select` finds each without sorting, and leaves the values as they are.
const SHARES = [0.5, 0.9, 0.99];
const found = await timed('select-time', `${SHARES.length * SERVICES.length} calls`, async () => {
  const rows = [];
  for (const [i, { name }] of SERVICES.entries()) {
    const values = valuesOf(data, i);
    const times = [];
    for (const share of SHARES) times.push(await select(values, placeOf(share, values.length)));
    rows.push([name, ...times]);
  }
  return rows;
});
const table = document.createElement('table');
const addRow = (cells, tag) => {
  const row = table.insertRow();
  for (const cell of cells)
    row.append(Object.assign(document.createElement(tag), { textContent: cell }));
};
addRow(['service', ...SHARES.map((share) => `${share * 100} %`)], 'th');
for (const [name, ...times] of found) {
  addRow([name, ...times.map((time) => `${time.toFixed(1)} ms`)], 'td');
}
byId('table').replaceChildren(table);

// All quantiles: one call sorts the values of each service on their own.
const { values, segments } = data;
await timed('sort-time', `${values.length.toLocaleString('en')} values sorted`, () =>
  sort(values, { segments }),
);

/** `dots` quantiles of each service, evenly spaced. */
const quantiles = (dots) =>
  SERVICES.flatMap(({ name }, i) => {
    const sorted = valuesOf(data, i);
    return Array.from({ length: dots }, (_, dot) => {
      const share = (dot + 0.5) / dots;
      return { name, share, time: sorted[placeOf(share, sorted.length)] };
    });
  });

/** One image with one name: names of its groups are for nobody, because groups have no role. */
function nameImage(plot, name) {
  // A legend's images come first.
  const image = plot.localName === 'svg' ? plot : [...plot.querySelectorAll('svg')].at(-1);
  image.setAttribute('role', 'img');
  image.setAttribute('aria-label', name);
  for (const group of plot.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
}

function draw() {
  const width = Math.min(byId('swarm').clientWidth, 900);
  /** @type {Plot.PlotOptions} */
  const common = {
    width,
    marginLeft: 64,
    x: { type: 'log', label: 'milliseconds', grid: true, ticks: 6, tickFormat: 'd' },
    marginBottom: 40,
    style: 'font-size: 13px',
    // The same of both charts.
    color: { domain: SERVICES.map(({ name }) => name) },
  };
  const swarm = Plot.plot({
    ...common,
    height: 560,
    fy: { label: null, domain: SERVICES.map(({ name }) => name) },
    marks: [
      Plot.dot(
        quantiles(100),
        Plot.dodgeY({
          x: 'time',
          fy: 'name',
          fill: 'name',
          r: width < 500 ? 2 : 3.5,
          padding: 0.5,
        }),
      ),
    ],
  });
  const curves = Plot.plot({
    ...common,
    height: 320,
    y: { label: 'calls that take longer (%)', percent: true, grid: true },
    color: { ...common.color, legend: true },
    marks: [Plot.line(quantiles(400), { x: 'time', y: ({ share }) => 1 - share, stroke: 'name' })],
  });
  nameImage(swarm, 'The times of each service, as dots');
  nameImage(curves, 'The share of calls that take longer, by milliseconds');
  byId('swarm').replaceChildren(swarm);
  byId('curves').replaceChildren(curves);
}
draw();
addEventListener('resize', draw);

// For the test.
globalThis.example = { quantiles, found };
