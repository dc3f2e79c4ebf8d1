/** The device panel: what there is to sort by, in words, and why the rest is not there. */

import type { BackendName, Probe } from 'keysweep';
import { byId, make } from '../page/dom.js';
import { formatBytes } from '../page/format.js';
import type { AdapterFacts, Facts } from './facts.js';

const BACKENDS: readonly {
  readonly name: BackendName;
  readonly title: string;
  readonly what: string;
}[] = [
  {
    name: 'builtin',
    title: 'Built-in sort',
    what: 'What every browser has: the measure of all others.',
  },
  { name: 'cpu', title: 'CPU backend', what: 'Radix sort on worker threads.' },
  { name: 'webgpu', title: 'WebGPU', what: 'Radix sort in compute shaders.' },
  {
    name: 'webgl2',
    title: 'WebGL2',
    what: 'Bitonic network in fragment shaders: for GPUs that WebGPU does not reach.',
  },
];

export function showFacts(facts: Facts): void {
  byId('device-summary').textContent = summaryOf(facts);
  byId('device-backends').replaceChildren(
    ...BACKENDS.map(({ name, title, what }) => cardOf(name, title, what, facts.probes[name])),
  );
  byId('device-details').replaceChildren(
    ...detailsOf(facts).flatMap(([term, text]) => [make('dt', {}, term), make('dd', {}, text)]),
  );
  byId('device-more').hidden = false;
}

/** Two or three sentences: browser, processor, isolation. */
export function summaryOf({ browser, threads, isolated }: Facts): string {
  const isolation = isolated
    ? 'The page is isolated from other origins, so its workers share memory: the CPU backend runs at full speed.'
    : 'The page is not isolated from other origins, so its workers can share no memory: the CPU backend sorts copies in one worker. Whoever serves this page can change that by two headers, Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.';
  return `${browser}, ${threads} ${threads === 1 ? 'hardware thread' : 'hardware threads'}. ${isolation}`;
}

/** "yes", "software, not a GPU" or "no". */
function stateOf(probe: Probe | undefined): 'yes' | 'software, not a GPU' | 'no' {
  if (!probe?.available) return 'no';
  return probe.capabilities.software ? 'software, not a GPU' : 'yes';
}

function cardOf(
  name: BackendName,
  title: string,
  what: string,
  probe: Probe | undefined,
): HTMLElement {
  const state = stateOf(probe);
  const found = probe?.available
    ? `${probe.capabilities.description}.`
    : `Not here: ${probe?.reason ?? 'this version lacks it'}.`;
  const software =
    state === 'software, not a GPU'
      ? ' This is a software renderer: what it measures would say nothing of a GPU, so it is left out unless you ask for it below.'
      : '';
  return make(
    'li',
    { class: 'card', style: `--series: var(--${name})` },
    make(
      'h3',
      {},
      title,
      make('span', { class: `state ${state === 'yes' ? 'yes' : 'no'}` }, state),
    ),
    make('p', {}, what),
    make('p', {}, found + software),
  );
}

/** Features that a radix sort makes use of, and what for. */
const FEATURES: readonly (readonly [name: string, use: string])[] = [
  ['subgroups', 'sorts more than twice as fast'],
  ['subgroup-size-control', 'subgroups of a known size where there are several'],
  ['timestamp-query', 'time by the GPU’s own clock'],
];

function detailsOf({ adapter, memory, tick, isolated }: Facts): [string, string][] {
  return [
    ['Isolation', isolated ? 'cross-origin isolated: memory is shared' : 'none: no shared memory'],
    ['Clock', `ticks of ${tick >= 1 ? `${tick.toFixed(1)} ms` : `${Math.round(tick * 1000)} µs`}`],
    ...(memory === undefined
      ? []
      : ([['Memory', `${memory} GiB or more, says the browser`]] as [string, string][])),
    ...(adapter === undefined ? [] : adapterDetails(adapter)),
  ];
}

function adapterDetails({ features, limits, subgroups }: AdapterFacts): [string, string][] {
  const has = FEATURES.map(([name, use]): [string, string] => [
    `Feature ${name}`,
    `${features.includes(name) ? 'yes' : 'no'}: ${use}`,
  ]);
  const bytes = (name: string): string => formatBytes(limits[name] ?? Number.NaN);
  return [
    ...has,
    ...(subgroups === undefined
      ? []
      : ([['Subgroups', `of ${subgroups} invocations`]] as [string, string][])),
    ['Largest buffer', bytes('maxBufferSize')],
    ['Largest binding', bytes('maxStorageBufferBindingSize')],
    [
      'Workgroups',
      `${limits.maxComputeInvocationsPerWorkgroup} invocations, ${bytes('maxComputeWorkgroupStorageSize')} of storage`,
    ],
    ['All features', features.join(', ') || 'none'],
  ];
}
