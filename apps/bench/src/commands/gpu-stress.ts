/**
 * `gpu-stress`: thousands of sorts of random sizes, one after the other on one device, every result
 * verified.
 */

import { parseArgs } from 'node:util';
import { classOf, Random, runSeed } from '@keysweep/conformance/data';
import { faultOfGather, faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import { RadixSorter, type RadixSorterOptions } from '@keysweep/webgpu';
import { BufferUsage, readBuffer } from '../gpu/device/buffers.js';
import { GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { wholeNumber } from '../program/options.js';
import { formatCount } from '../program/table.js';

export const help: string = `Sorts thousands of arrays of random sizes, one after the other on one
device, and checks each.

  --sorts N          (10000)
  --longest N        most records of a sort (262144)
${MACHINE_HELP}`;

type Kind = Required<Pick<RadixSorterOptions, 'keyType' | 'order'>> &
  Pick<RadixSorterOptions, 'valueType'>;

const KINDS: readonly Kind[] = (['ascending', 'descending'] as const).flatMap((order) => [
  { keyType: 'u32', order },
  { keyType: 'u32', valueType: 'u32', order },
  { keyType: 'f32', valueType: 'u32', order },
  { keyType: 'u64', order },
  { keyType: 'i64', valueType: 'u32', order },
]);

export async function run(args: string[]): Promise<boolean> {
  const { values: given } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      sorts: { type: 'string', default: '10000' },
      longest: { type: 'string', default: String(2 ** 18) },
    },
  });
  const sorts = wholeNumber('--sorts', given.sorts, 1);
  const longest = wholeNumber('--longest', given.longest, 1);
  const device = await (await GpuMachine.find(machineOf(given, false))).device();
  const seed = runSeed();
  const random = new Random(seed);
  console.log(
    `${formatCount(sorts)} sorts of up to ${formatCount(longest)} records; seed ` +
      `${seed} (KEYSWEEP_SEED repeats it)`,
  );
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  const keys = device.createBuffer({ size: 8 * longest, usage });
  const values = device.createBuffer({ size: 4 * longest, usage });
  const indices = Uint32Array.from({ length: longest }, (_, i) => i);
  const sorters = await Promise.all(
    KINDS.map((kind) => RadixSorter.create(device, { ...kind, maxCount: longest })),
  );

  let wrong = 0;
  let records = 0;
  const start = performance.now();
  for (let i = 1; i <= sorts; i++) {
    const which = random.below(KINDS.length);
    const [kind, sorter] = [KINDS[which] as Kind, sorters[which] as RadixSorter];
    const count = lengthUpTo(longest, random);
    const input = randomKeys(kind, count, random);
    device.queue.writeBuffer(keys, 0, input);
    device.queue.writeBuffer(values, 0, indices, 0, count);
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys, values: kind.valueType && values, count });
    device.queue.submit([encoder.finish()]);
    const [sorted, order] = await Promise.all([
      readBuffer(device, keys, input.byteLength),
      kind.valueType && readBuffer(device, values, 4 * count),
    ]);
    const fault = faultOf(kind, input, sorted, order);
    if (fault !== undefined) {
      wrong++;
      console.log(`sort ${i}, ${count} ${JSON.stringify(kind)}: ${fault}`);
    }
    records += count;
    if (i % Math.ceil(sorts / 10) === 0) {
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      console.log(
        `${formatCount(i)} sorts, ${formatCount(records)} records, ${wrong} wrong, ${seconds} s`,
      );
    }
  }
  for (const sorter of sorters) sorter.destroy();
  device.destroy();
  console.log(`\n${sorts - wrong} passed, ${wrong} failed`);
  return wrong === 0;
}

/** Evenly spread on a logarithmic scale: short arrays come as often as long ones. */
function lengthUpTo(longest: number, random: Random): number {
  const most = Math.min(longest, 2 ** (1 + random.below(1 + Math.floor(Math.log2(longest)))));
  return 1 + random.below(most);
}

/** Random bits; in every other sort, on average, only some of them. */
function randomKeys({ keyType }: Kind, count: number, random: Random): Uint32Array<ArrayBuffer> {
  const words = keyType.endsWith('64') ? 2 : 1;
  const mask = random.below(2) === 0 ? 0xffffffff : random.bits() & random.bits();
  if (keyType !== 'f32') {
    return Uint32Array.from({ length: words * count }, () => random.bits() & mask);
  }
  // Finite and not 0, so that numbers compare as keys do. Other floats are in the conformance
  // suite.
  return Uint32Array.from({ length: count }, () => (random.bits() & mask & 0xbfffffff) | 1);
}

/** What is wrong with the result of a sort of `input`, if anything. */
function faultOf(
  { keyType, order }: Kind,
  input: Uint32Array<ArrayBuffer>,
  sorted: ArrayBuffer,
  permutation: ArrayBuffer | undefined,
): string | undefined {
  const { create } = classOf(keyType);
  const [before, after] = [create(input.buffer), create(sorted)];
  if (permutation === undefined) return faultOfKeys(after, before, { order });
  const rows = new Uint32Array(permutation);
  return faultOfOrder([before], rows, { order }) ?? faultOfGather(after, before, rows);
}
