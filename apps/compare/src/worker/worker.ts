/** The worker that sorts and measures: everything that takes long, so that the page responds. */

import { cpu } from '@keysweep/cpu';
import { webgl2 } from '@keysweep/webgl2';
import { webgpu } from '@keysweep/webgpu';
import { builtin, createSorter, type KeyArray, type Sorter } from 'keysweep';
import { type Availability, availabilityOf } from '../device/facts.js';
import { gatherFacts } from '../device/gather.js';
import { whyNotResident } from '../run/gpu-keys.js';
import { backendSort, builtinSort, type Implementation } from '../run/implementations.js';
import { RunControl } from '../run/run-control.js';
import { runAll } from '../run/runner.js';
import { nameOf } from '../settings/names.js';
import type { Rival, Settings } from '../settings/settings.js';
import type { FromWorker, Request, RequestKind, Requests, ToWorker } from './protocol.js';

/** Not awaited here: messages that arrive meanwhile would be lost. */
const makingSorter = createSorter({
  // The default ones, and where gpu.js is.
  backends: [webgpu(), cpu(), webgl2({ load: () => import('gpu.js') }), builtin()],
});
let control = new RunControl();
let isMeasuring = false;

const send = (message: FromWorker): void => postMessage(message);

const handlers: {
  [K in RequestKind]: (input: Requests[K]['input'], id: number) => Promise<Requests[K]['result']>;
} = {
  facts: async () => gatherFacts(await makingSorter),
  measure: ({ settings }, id) => measureAlone(settings, undefined, id),
  sortColumn: async ({ keys, settings }, id) => {
    await measureAlone(settings, keys, id);
    const sorter = await makingSorter;
    await sorter.sort(keys, { order: settings.order });
    return { first: keys.slice(0, SHOWN), last: keys.slice(-SHOWN), length: keys.length };
  },
};

/** Keys that are shown of each end of a sorted column. */
const SHOWN = 6;

/** Two runs at a time would slow each other down. */
async function measureAlone(...args: Parameters<typeof measure>): Promise<undefined> {
  if (isMeasuring) throw new Error('something else is being measured: wait for it, or cancel it');
  isMeasuring = true;
  try {
    return await measure(...args);
  } finally {
    isMeasuring = false;
  }
}

async function measure(
  settings: Settings,
  keys: KeyArray | undefined,
  id: number,
): Promise<undefined> {
  control = new RunControl();
  const sorter = await makingSorter;
  const facts = await gatherFacts(sorter);
  if (settings.calibrate) {
    const progress = { done: 0, left: undefined, what: 'the dispatcher measures this machine' };
    send({ kind: 'event', id, event: { kind: 'progress', progress } });
    await sorter.calibrate();
  }
  const availability = availabilityOf(facts);
  const rivals = await Promise.all(
    settings.rivals.map((rival) => rivalSorts(sorter, rival, availability[rival], settings)),
  );
  // Of a column it is said what `sort` itself does; of lengths it follows from their plans.
  const choice = keys === undefined ? [] : [backendSort(sorter, 'auto', false, settings)];
  await runAll({
    settings,
    sorter,
    implementations: [builtinSort(settings), ...rivals.flat(), ...choice],
    keys,
    control,
    emit: (event) => send({ kind: 'event', id, event }),
    nameOf,
  });
  return undefined;
}

/** The sort of a rival; none if this machine lacks it, or the settings leave it out. */
async function rivalSorts(
  sorter: Sorter,
  rival: Rival,
  here: Availability,
  settings: Settings,
): Promise<Implementation[]> {
  if (!here.available || (here.software && !settings.software)) return [];
  if (rival !== 'resident') return [backendSort(sorter, rival, here.software, settings)];
  if (whyNotResident(settings.keyType) !== undefined) return [];
  const { residentSort } = await import('../run/resident.js');
  return [residentSort(settings, here.software)];
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'pause' || data.kind === 'resume' || data.kind === 'cancel') {
    control[data.kind]();
    return;
  }
  const { kind, id, input } = data as Request;
  try {
    const handle = handlers[kind] as (input: unknown, id: number) => Promise<unknown>;
    send({ kind: 'result', id, result: await handle(input, id) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: 'failed', id, message, cancelled: error === control.signal.reason });
  }
};
