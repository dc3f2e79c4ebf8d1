/** Every engine, how it is started, and what is tried there. */

import {
  type Browser,
  CHROMIUM,
  type Display,
  findFirefox,
  findWebKit,
  NO_DISPLAY,
  NOT_INSTALLED,
} from '../../../../tools/test/browsers.js';
import { type Headers, ISOLATED } from '../pages.js';
import type { Part } from './found.js';
import type { Place } from './site.js';

/** A trial of an engine that shows pages. */
export interface PageTrial {
  readonly engine: string;
  /** What sets this trial apart from the engine's others. */
  readonly way: string;
  readonly place: Place;
  readonly headers: Headers;
  readonly parts: readonly Part[];
  /** Warnings by 'auto' that are expected. */
  readonly warnings: readonly string[];
  /** The engine, or why it cannot be tried. */
  find(display: Display | undefined): Browser | string;
}

/** What needs no GPU. */
export const ON_CPU: readonly Part[] = ['NaN bits', 'auto', 'cpu', 'sync'];
export const WEBGPU: readonly Part[] = ['webgpu', 'RadixSorter'];
export const BRIEFLY: readonly Part[] = ['auto', 'sync'];

/** No WebAssembly, no workers from a Blob, and nothing from other sites. */
const STRICT: Headers = {
  ...ISOLATED,
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; connect-src 'self'",
};

type Way = Omit<PageTrial, 'engine' | 'find'>;
const way = (name: string, more: Partial<Way>): Way => ({
  way: name,
  place: 'page',
  headers: {},
  parts: BRIEFLY,
  warnings: [],
  ...more,
});

/** Where a script can run in any browser. */
const WAYS: readonly Way[] = [
  way('isolated page', { headers: ISOLATED, parts: ON_CPU }),
  way('page', { parts: ON_CPU }),
  way('worker', { place: 'worker', headers: ISOLATED, parts: ON_CPU }),
  way('shared worker', { place: 'shared worker' }),
  way('service worker', { place: 'service worker' }),
  way('sandboxed frame', { place: 'sandboxed frame', warnings: ['no-threads'] }),
  way('strict policy', { headers: STRICT, warnings: ['no-webassembly', 'no-threads'] }),
];

const trialsOf = (
  engine: string,
  find: PageTrial['find'],
  ways: readonly Way[] = WAYS,
): PageTrial[] => ways.map((way) => ({ engine, ...way, find }));

const firefox = (): Browser | string => findFirefox() ?? NOT_INSTALLED;

const webkit =
  (env: NodeJS.ProcessEnv): PageTrial['find'] =>
  (display) =>
    display === undefined ? NO_DISPLAY : (findWebKit(display, env) ?? NOT_INSTALLED);

export const PAGE_TRIALS: readonly PageTrial[] = [
  ...trialsOf('Chromium', () => CHROMIUM),
  ...trialsOf('Firefox', firefox),
  ...trialsOf(
    'Firefox',
    (display) => (display === undefined ? NO_DISPLAY : (findFirefox(display) ?? NOT_INSTALLED)),
    [
      // The suites of whole backends were still running after eight minutes.
      way('isolated page, with a software GPU', { headers: ISOLATED, parts: ['RadixSorter'] }),
    ],
  ),
  ...trialsOf('WebKitGTK', webkit({})),
  ...trialsOf('WebKitGTK', webkit({ JSC_useSharedArrayBuffer: '1' }), [
    way('isolated page, with shared memory', { headers: ISOLATED, parts: ON_CPU }),
  ]),
];
