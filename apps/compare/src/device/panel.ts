/** The section "This device": the backends that work here, and why the others do not. */

import type { BackendName, Probe } from 'keysweep';
import { byId, make } from '../page/dom.js';
import { formatBytes } from '../page/format.js';
import { type AdapterFacts, type Facts, gpuName } from './facts.js';

/** What the page calls each backend, in the order in which it lists them. */
const BACKENDS: Readonly<Record<BackendName, readonly [title: string, what: string]>> = {
  builtin: ['Built-in sort', 'The browser’s own.'],
  cpu: ['CPU backend', 'Radix sort in WebAssembly.'],
  webgpu: ['WebGPU', 'Radix sort in compute shaders.'],
  webgl2: ['WebGL2', 'Bitonic network in fragment shaders, where there is no WebGPU.'],
};

export function showFacts(facts: Facts): void {
  byId('device-summary').textContent = summaryOf(facts);
  byId('device-backends').replaceChildren(
    ...(Object.keys(BACKENDS) as BackendName[]).map((name) =>
      lineOf(name, ...BACKENDS[name], facts.probes[name]),
    ),
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

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What was found: threads, a GPU's name, or why a backend does not work here. */
function foundText(name: BackendName, probe: Probe | undefined): string {
  if (!probe?.available) return `${capitalised(probe?.reason ?? 'not in this version')}.`;
  const { description, software, threads, kernels } = probe.capabilities;
  if (name === 'builtin') return '';
  if (name === 'cpu') {
    const many = threads === 1 ? '1 thread' : `up to ${threads} threads`;
    return kernels === 'plain' ? 'Without WebAssembly, on 1 thread.' : `On ${many}.`;
  }
  const gpu = gpuName(description);
  return software ? `Only in software here (${gpu}), which is no GPU.` : `On ${gpu}.`;
}

function lineOf(
  name: BackendName,
  title: string,
  what: string,
  probe: Probe | undefined,
): HTMLElement {
  const works = probe?.available && !probe.capabilities.software;
  return make(
    'div',
    { style: `--series: var(--${name})`, class: works ? undefined : 'off' },
    make('dt', {}, make('span', { class: 'swatch', 'aria-hidden': 'true' }), title),
    make('dd', {}, `${what} ${foundText(name, probe)}`.trim()),
  );
}

/** Features that the radix sort uses, and their use. */
const FEATURES: readonly (readonly [name: string, use: string])[] = [
  ['subgroups', 'ranks keys by ballots, which is the fastest variant'],
  ['subgroup-size-control', 'subgroups of a known size, where the GPU has several sizes'],
  ['timestamp-query', 'time by the GPU’s own clock'],
];

function detailsOf({ adapter, memory, tick, probes }: Facts): [string, string][] {
  const drivers = (['webgpu', 'webgl2'] as const).flatMap((name): [string, string][] => {
    const probe = probes[name];
    const title = name === 'webgpu' ? 'WebGPU’s adapter' : 'WebGL2’s renderer';
    return probe?.available ? [[title, probe.capabilities.description]] : [];
  });
  return [
    ...drivers,
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
