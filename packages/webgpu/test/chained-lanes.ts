/** The sets of lanes that kernels work with, as a GPU computes them and as they should be. */

import { shader } from '@keysweep/kernels/wgsl';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import type { WatchedDevice } from './watched-device.js';

/** For each lane: four words of the lanes below it, their number, and how many vote as it does. */
const WORDS = 6;

/** Lanes have no number of their subgroup from the language. */
const ITS_OWN = { HAS_SUBGROUPS: 1, SUBGROUP_ID: 0 };

/** A vote, one bit a lane. Bits beyond the subgroup's size are cleared. */
const VOTE = [0x80000001, 0xdeadbeef, 0x00010000, 0xffffffff];

export async function laneSets({ device }: WatchedDevice, subgroup: number): Promise<number[]> {
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
  const size = 4 * WORDS * subgroup;
  const vote = VOTE.map((word, i) => `${32 * i < subgroup ? word : 0}u`);
  // One thread computes for all lanes: these functions do not depend on the subgroup.
  const code = `${shader('fragments/lanes', { SUBGROUP_SIZE: subgroup, ...ITS_OWN })}
    @group(0) @binding(0) var<storage, read_write> sets: array<u32>;
    @compute @workgroup_size(1) fn write() {
      let vote = vec4u(${vote});
      for (var lane = 0u; lane < SUBGROUP_SIZE; lane += 1u) {
        let below = lanesBelow(lane);
        for (var i = 0u; i < 4u; i += 1u) { sets[lane * ${WORDS} + i] = below[i]; }
        sets[lane * ${WORDS} + 4] = population(below);
        let own = ((vote[lane / 32u] >> (lane % 32u)) & 1u) == 1u;
        sets[lane * ${WORDS} + 5] = population(allLanes() & lanesOf(vote, own));
      }
    }`;
  const module = device.createShaderModule({ code: `enable subgroups;\n${code}` });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const sets = device.createBuffer({ size, usage: STORAGE | COPY_SRC });
  const read = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const entries = [{ binding: 0, resource: { buffer: sets } }];
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(sets, 0, read, 0, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(MapMode.READ);
  return [...new Uint32Array(read.getMappedRange())];
}

export function expectedLaneSets(subgroup: number): number[] {
  const isSet = (lane: number): boolean =>
    (((VOTE[lane >> 5] as number) >>> (lane & 31)) & 1) === 1;
  const lanes = Array.from({ length: subgroup }, (_, lane) => lane);
  return lanes.flatMap((lane) => {
    const below = (1n << BigInt(lane)) - 1n;
    const words = [0n, 32n, 64n, 96n].map((shift) => Number((below >> shift) & 0xffffffffn));
    return [...words, lane, lanes.filter((other) => isSet(other) === isSet(lane)).length];
  });
}
