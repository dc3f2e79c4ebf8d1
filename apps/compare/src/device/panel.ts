/** The section "This device": the backends that work here, and why the others do not. */

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
    what: 'The browser’s own sort, with which the others are compared.',
  },
  { name: 'cpu', title: 'CPU backend', what: 'Radix sort on worker threads.' },
  { name: 'webgpu', title: 'WebGPU', what: 'Radix sort in compute shaders.' },
  {
    name: 'webgl2',
    title: 'WebGL2',
    what: 'Bitonic network in fragment shaders, for browsers without WebGPU.',
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

/** Browser, processor and isolation in sentences. */
export function summaryOf({ browser, threads, isolated, probes }: Facts): string {
  const { cpu } = probes;
  const isPlain = cpu?.available && cpu.capabilities.kernels === 'plain';
  const wasm = isPlain
    ? 'WebAssembly does not work here: the CPU backend sorts in plain TypeScript, on one thread, ' +
      'which takes several times as long. '
    : '';
  const isolation = isolated
    ? `The page is isolated from other origins, so its workers share memory${
        isPlain ? '.' : ' and the CPU backend uses all threads.'
      }`
    : 'The page is not isolated from other origins, so its workers cannot share ' +
      'memory: the CPU backend sorts copies in one worker. Two headers of the ' +
      'server change that: Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp.';
  return (
    `${browser}, ${threads} ` +
    `${threads === 1 ? 'hardware thread' : 'hardware threads'}. ${wasm}${isolation}`
  );
}

type State = 'available' | 'software, not a GPU' | 'not available';

function stateOf(probe: Probe | undefined): State {
  if (!probe?.available) return 'not available';
  return probe.capabilities.software ? 'software, not a GPU' : 'available';
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function cardOf(
  name: BackendName,
  title: string,
  what: string,
  probe: Probe | undefined,
): HTMLElement {
  const state = stateOf(probe);
  const found = probe?.available
    ? `${probe.capabilities.description}.`
    : `${capitalised(probe?.reason ?? 'this version does not have it')}.`;
  const software =
    state === 'software, not a GPU'
      ? ' This is a software renderer. Its times say nothing about a GPU, so it is ' +
        'left out unless you select it below.'
      : '';
  return make(
    'li',
    { class: 'card', style: `--series: var(--${name})` },
    make(
      'h3',
      {},
      title,
      make('span', { class: `state ${state === 'available' ? 'yes' : 'no'}` }, state),
    ),
    make('p', {}, what),
    make('p', {}, found + software),
  );
}

/** Features that the radix sort uses, and their use. */
const FEATURES: readonly (readonly [name: string, use: string])[] = [
  ['subgroups', 'ranks keys by ballots, which is the fastest variant'],
  ['subgroup-size-control', 'subgroups of a known size, where the GPU has several sizes'],
  ['timestamp-query', 'time by the GPU’s own clock'],
];

function detailsOf({ adapter, memory, tick, isolated }: Facts): [string, string][] {
  return [
    ['Isolation', isolated ? 'cross-origin isolated: memory is shared' : 'none: no shared memory'],
    ['Clock', `ticks of ${tick >= 1 ? `${tick.toFixed(1)} ms` : `${Math.round(tick * 1000)} µs`}`],
    ...(memory === undefined
      ? []
      : ([['Memory', `at least ${memory} GiB, according to the browser`]] as [string, string][])),
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
      `${limits.maxComputeInvocationsPerWorkgroup} invocations, ` +
        `${bytes('maxComputeWorkgroupStorageSize')} of storage`,
    ],
    ['All features', features.join(', ') || 'none'],
  ];
}
