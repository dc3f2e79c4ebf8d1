/** The worker that sorts: whatever takes long is done here, so that the page stays at hand. */

import type { Table } from '@keysweep/files';
import { createSorter, type KeyArray } from 'keysweep';
import { openFile } from '../data/open.js';
import { availabilityOf } from '../device/facts.js';
import { gatherFacts } from '../device/gather.js';
import { Gate } from '../measure/gate.js';
import { whyNotResident } from '../measure/gpu-keys.js';
import { backendWay, builtinWay, type Contestant } from '../measure/implementations.js';
import { runAll } from '../measure/runner.js';
import { nameOf } from '../results/names.js';
import type { Rival, Settings } from '../settings/settings.js';
import type { Question, QuestionKind, Questions, Source, ToPage, ToWorker } from './protocol.js';

/** Not awaited here: messages that come meanwhile would be lost. */
const makingSorter = createSorter();
let table: Table | undefined;
/** The file that the table is of: files are copied with each message. */
let tableOf = '';
let gate = new Gate();
let isMeasuring = false;

const tell = (message: ToPage): void => postMessage(message);

const answers: {
  [K in QuestionKind]: (ask: Questions[K]['ask'], id: number) => Promise<Questions[K]['answer']>;
} = {
  look: async () => gatherFacts(await makingSorter),
  measure: ({ settings }, id) => measureAlone(settings, undefined, id),
  open: async (source) => (await open(source)).columns,
  async sortColumn({ source, column, settings }, id) {
    const progress = { done: 0, left: undefined, what: `reading ${column}` };
    tell({ kind: 'news', id, news: { kind: 'progress', progress } });
    const keys = await (await open(source)).read(column);
    return measureAlone({ ...settings, lengths: [keys.length] }, keys, id);
  },
};

async function open({ file, rawType }: Source): Promise<Table> {
  const name = [file.name, file.size, file.lastModified, rawType].join('/');
  if (table === undefined || tableOf !== name) {
    table = undefined;
    table = await openFile(file, rawType);
    tableOf = name;
  }
  return table;
}

/** Two at a time would measure each other. */
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
  gate = new Gate();
  const sorter = await makingSorter;
  const facts = await gatherFacts(sorter);
  if (settings.calibrate) {
    const progress = { done: 0, left: undefined, what: 'the dispatcher measures this machine' };
    tell({ kind: 'news', id, news: { kind: 'progress', progress } });
    await sorter.calibrate();
  }
  const availability = availabilityOf(facts);
  const wayOf = async (rival: Rival): Promise<Contestant[]> => {
    const here = availability[rival];
    if (!here.available || (here.software && !settings.software)) return [];
    if (rival !== 'resident') return [backendWay(sorter, rival, here.software, settings)];
    if (whyNotResident(settings.keyType) !== undefined) return [];
    const { residentWay } = await import('../measure/resident.js');
    return [residentWay(settings, here.software)];
  };
  const rivals = await Promise.all(settings.rivals.map(wayOf));
  await runAll({
    settings,
    sorter,
    contestants: [builtinWay(settings), ...rivals.flat()],
    keys,
    gate,
    tell: (news) => tell({ kind: 'news', id, news }),
    nameOf,
  });
  return undefined;
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'pause' || data.kind === 'resume' || data.kind === 'cancel') {
    gate[data.kind]();
    return;
  }
  const { kind, id, ask } = data as Question;
  try {
    const answer = await (answers[kind] as (ask: unknown, id: number) => Promise<unknown>)(ask, id);
    tell({ kind: 'answer', id, answer });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell({ kind: 'failed', id, message, cancelled: error === gate.signal.reason });
  }
};
