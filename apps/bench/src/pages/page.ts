/** The page of subcommands that run in a browser: they, or a test, call its tasks. */

import { cpu } from '@keysweep/cpu';
import { webgl2 } from '@keysweep/webgl2';
import { webgpu } from '@keysweep/webgpu';
import { type Backend, builtin } from 'keysweep';
import { measureRegret, type Regret, type RegretOptions } from '../regret/measure.js';
import {
  measureTransfers,
  type TransferOptions,
  type TransferResult,
} from '../transfer/measure.js';
import { checkWebgl2 } from './webgl2-check.js';
import { measureWebgl2 } from './webgl2-measure.js';

/** The default backends, and where gpu.js is. */
const backends = (): Backend[] => [
  webgpu(),
  cpu(),
  webgl2({ load: () => import('gpu.js') }),
  builtin(),
];

const regret = (options: Omit<RegretOptions, 'backends'>): Promise<Regret> =>
  measureRegret({ ...options, backends });

const transfers = (options: TransferOptions): Promise<TransferResult[]> =>
  measureTransfers(options, () =>
    navigator.gpu.requestAdapter({ powerPreference: 'high-performance' }),
  );

/** What the page offers, under the global name keysweepTasks. */
export interface PageTasks {
  readonly checkWebgl2: typeof checkWebgl2;
  readonly measureWebgl2: typeof measureWebgl2;
  readonly regret: typeof regret;
  readonly transfers: typeof transfers;
}

Object.assign(globalThis, {
  keysweepTasks: { checkWebgl2, measureWebgl2, regret, transfers } satisfies PageTasks,
});
document.title = 'ready';
