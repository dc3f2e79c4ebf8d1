/** `gpu-transfer`: ordinary arrays to the GPU and back, beside plain copies. */

import { parseArgs } from 'node:util';
import { GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import { lengthsOf, seedOf, someOf, wholeNumber } from '../program/options.js';
import { addResult, newRecord } from '../record/record.js';
import {
  measureTransfers,
  OPERATIONS,
  type Settings,
  type TransferOptions,
  type TransferResult,
} from '../transfer/measure.js';

const MIB = 2 ** 20;

const SETTINGS =
  'now:;pieces of 16:pieceBytes=16,uploadBuffers=4,readbackBuffers=4;pieces of 64:pieceBytes=64';

export const help: string = `Times sort, toSorted and argsort of ordinary arrays by the webgpu
backend, with several settings of its transfers, in turns with two plain copies of arrays and with a
plain round trip (one buffer, written, copied to the GPU and back, read). Every result is checked.

  --sizes 20,22      powers of two (22,24,26)
  --operations sort  of ${OPERATIONS.join()} (all)
  --samples N        of each way (7)
  --seed N           the same inputs again
  --settings TEXT    name:field=number,…;name:… with fields of MemoryLimits in
                     packages/webgpu/src/transfer/pool.ts; bytes in MiB
                     (${SETTINGS})
  --json FILE        writes the samples
  --page             in a page of Chromium instead of Node
${BROWSER_HELP}
${MACHINE_HELP}`;

/** Memory to keep that no setting runs out of. */
const ROOMY: Settings = { stagingBytes: 2048 * MIB };

/** @throws Error for what is no such text. */
export function settingsOf(text: string): Record<string, Settings> {
  const all: Record<string, Settings> = {};
  for (const one of text.split(';')) {
    const [name, fields] = one.split(':');
    if (!name || fields === undefined) {
      throw new Error(`--settings takes name:field=number,…;name:…: got '${one}'`);
    }
    const settings: Record<string, number> = { ...ROOMY };
    for (const field of fields.split(',').filter(Boolean)) {
      const [key = '', value] = field.split('=');
      const number = Number(value);
      if (value === undefined || Number.isNaN(number)) {
        throw new Error(`--settings takes field=number, got '${field}'`);
      }
      settings[key] = key.endsWith('Buffers') ? number : number * MIB;
    }
    all[name] = settings;
  }
  return all;
}

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      ...BROWSER_FLAGS,
      sizes: { type: 'string', default: '22,24,26' },
      operations: { type: 'string', default: OPERATIONS.join() },
      samples: { type: 'string', default: '7' },
      seed: { type: 'string' },
      settings: { type: 'string', default: SETTINGS },
      json: { type: 'string' },
      page: { type: 'boolean', default: false },
    },
  });
  const { page: isPage, json } = values;
  const options: TransferOptions = {
    lengths: lengthsOf(values.sizes),
    operations: someOf('--operations', values.operations, OPERATIONS),
    samples: wholeNumber('--samples', values.samples, 1),
    seed: seedOf(values.seed),
    settings: settingsOf(values.settings),
  };
  const record = newRecord<TransferResult, object>(options.seed, {});
  if (isPage) {
    const results = await withSite('page', values, (page) =>
      page.evaluate<TransferResult[]>(`keysweepTasks.transfers(${JSON.stringify(options)})`),
    );
    for (const result of results) addResult(record, result, json);
  } else {
    const machine = await GpuMachine.find(machineOf(values, false));
    await measureTransfers(
      options,
      () => machine.adapter(),
      (result) => addResult(record, result, json),
    );
  }
  return record.results.every(({ verified }) => verified);
}
