/** One sort of pairs by a RadixSorter, and its fault if it has one. */

import type { Random } from '@keysweep/conformance/data';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import type { WatchedDevice } from './watched-device.js';

/**
 * Sorts `length` keys of `bits` random bits with their indices, after other keys that the same
 * sorter sorts: what that leaves must not matter. Returns the fault, if there is one.
 */
export async function fault(
  { device }: WatchedDevice,
  random: Random,
  length: number,
  bits: number,
): Promise<string | undefined> {
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
  const input = Uint32Array.from({ length }, () => random.below(2 ** bits));
  const made: GPUBuffer[] = [];
  const make = (usage: number): GPUBuffer => {
    const buffer = device.createBuffer({ size: 4 * length, usage });
    made.push(buffer);
    return buffer;
  };
  const [keys, values] = [make(STORAGE | COPY_SRC | COPY_DST), make(STORAGE | COPY_SRC | COPY_DST)];
  const [keysRead, valuesRead] = [make(COPY_DST | MAP_READ), make(COPY_DST | MAP_READ)];
  device.queue.writeBuffer(keys, 0, input);
  device.queue.writeBuffer(
    values,
    0,
    Uint32Array.from({ length }, (_, i) => i),
  );
  const sorter = RadixSorter.make(device, { keyType: 'u32', valueType: 'u32', maxCount: length });
  const [otherKeys, otherValues] = [make(STORAGE | COPY_DST), make(STORAGE | COPY_DST)];
  device.queue.writeBuffer(
    otherKeys,
    0,
    input.map((key) => ~key),
  );
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys: otherKeys, values: otherValues, count: length });
  sorter.encode(encoder, { keys, values, count: length });
  encoder.copyBufferToBuffer(keys, 0, keysRead, 0, 4 * length);
  encoder.copyBufferToBuffer(values, 0, valuesRead, 0, 4 * length);
  device.queue.submit([encoder.finish()]);
  const [sorted, order] = await Promise.all(
    [keysRead, valuesRead].map(async (buffer) => {
      await buffer.mapAsync(MapMode.READ);
      return new Uint32Array(buffer.getMappedRange().slice(0));
    }),
  );
  sorter.destroy();
  for (const buffer of made) buffer.destroy();
  const expected = Uint32Array.from({ length }, (_, i) => i).sort(
    (a, b) => (input[a] as number) - (input[b] as number) || a - b,
  );
  const at = expected.findIndex((row, i) => order?.[i] !== row || sorted?.[i] !== input[row]);
  return at < 0 ? undefined : `wrong from record ${at} of ${length}, seed ${random.seed}`;
}
