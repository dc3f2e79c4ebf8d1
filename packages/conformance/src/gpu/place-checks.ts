/** Checks of where records lie and how many there are: offsets, counts in GPU buffers. */

import type { Check } from '../check.js';
import { randomKeys } from '../data/distributions.js';
import { assertSameBits } from '../verify/asserts.js';
import { type Bench, BufferUsage } from './bench.js';
import { RECORD_TYPES } from './order-checks.js';
import type { Records } from './records.js';
import {
  countBuffer,
  describeSort,
  ORDERS,
  optionsFor,
  recordsFor,
  type Sort,
  SPECIAL,
  verifySort,
} from './sorts.js';
import { Spy } from './spy.js';
import { GPU_KEY_TYPES, type GpuSortArguments, keyBytes, type RecordType } from './subject.js';

/** Records of the least and of the most parts, for checks that need not know of widths. */
const FEW_TYPES: readonly RecordType[] = [{ keyType: 'u32', valueType: 'u32' }, { keyType: 'f64' }];

export const typesFor = ({ subject }: Bench): readonly RecordType[] =>
  subject.thorough ? RECORD_TYPES : FEW_TYPES;

/** What one workgroup sorts, and what takes more. */
export function countsFor(bench: Bench, { keyType }: RecordType): readonly number[] {
  const { random, tile } = bench.subject;
  const own = tile[keyBytes(keyType)];
  return [2 + random.below(own - 2), own + 1 + random.below(own)];
}

/** On both sides of what bindings are aligned to, and one that takes three bytes. */
const OFFSETS = [0, 1, 63, 64, 65, 1000, 65_536 + 77];

const offsetCheck: Check<Bench> = {
  name: 'an offset: records outside stay as they are',
  async run(bench) {
    const { random } = bench.subject;
    for (const type of typesFor(bench)) {
      for (const count of countsFor(bench, type)) {
        for (const offset of bench.some(OFFSETS, 4)) {
          const order = bench.any(ORDERS);
          const behind = bench.any([0, 1, 1 + random.below(500)]);
          await verifySort(bench, { ...type, order, count, offset, behind, distribution: SPECIAL });
        }
      }
    }
  },
};

/**
 * Bytes at which a count may lie: the first ones, and on both sides of what bindings are aligned
 * to.
 */
const COUNTS_AT = [0, 4, 252, 256, 260];

const countCheck: Check<Bench> = {
  name: 'a count in a buffer, as maxCount where it is larger',
  async run(bench) {
    const { random } = bench.subject;
    for (const type of typesFor(bench)) {
      for (const maxCount of countsFor(bench, type)) {
        const some = 2 + random.below(maxCount - 2);
        const values = [0, 1, 2, some, maxCount - 1, maxCount, maxCount + 1, 0xffffffff];
        for (const [i, value] of values.entries()) {
          const sort: Sort = {
            ...type,
            order: bench.any(ORDERS),
            count: Math.min(value, maxCount),
            counted: { value, at: COUNTS_AT[i % COUNTS_AT.length] as number },
            maxCount,
            distribution: SPECIAL,
            offset: bench.any([0, 1, 64, 100]),
            behind: maxCount - Math.min(value, maxCount),
          };
          await verifySort(bench, sort);
        }
      }
    }
  },
};

const endCheck: Check<Bench> = {
  name: 'no records at the end of a buffer',
  async run(bench) {
    for (const type of typesFor(bench)) {
      for (const maxCount of [0, 1, 100, ...countsFor(bench, type)]) {
        const sort = {
          ...type,
          order: 'ascending',
          count: 0,
          maxCount,
          distribution: SPECIAL,
        } as const;
        for (const offset of [0, 1, 64]) {
          await verifySort(bench, { ...sort, offset });
          await verifySort(bench, { ...sort, offset, counted: { value: 0, at: 4 } });
        }
      }
    }
  },
};

/** Adds one to a count, the way that a program would find it out on the GPU. */
const INCREMENT = `
  @group(0) @binding(0) var<storage, read_write> counts: array<u32>;
  @compute @workgroup_size(1) fn increment() { counts[1]++; }`;

function incrementer({ device }: Bench, buffer: GPUBuffer): (pass: GPUComputePassEncoder) => void {
  const module = device.createShaderModule({ code: INCREMENT });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const layout = pipeline.getBindGroupLayout(0);
  const entries = [{ binding: 0, resource: { buffer, size: 8 } }];
  const group = device.createBindGroup({ layout, entries });
  return (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
  };
}

const writtenCountCheck: Check<Bench> = {
  name: 'a count that commands before it in the same encoder write',
  async run(bench) {
    for (const type of typesFor(bench)) {
      for (const count of countsFor(bench, type)) {
        const maxCount = count + 50;
        const sort: Sort = { ...type, order: 'ascending', count, maxCount, distribution: SPECIAL };
        const sorter = await bench.sorter(optionsFor(sort));
        const [copied, incremented] = [0, 1].map(() => recordsFor(bench, { ...sort, behind: 60 }));
        const counts = bench.buffer(new Uint32Array(2));
        const counted = { buffer: counts, offset: 4 };
        const source = bench.buffer(Uint32Array.of(count - 1), BufferUsage.COPY_SRC);
        const increment = incrementer(bench, counts);
        bench.submit((encoder) => {
          encoder.copyBufferToBuffer(source, 0, counts, 4, 4);
          sorter.encode(encoder, (copied as Records).args(counted));
          const pass = encoder.beginComputePass();
          increment(pass);
          pass.end();
          sorter.encode(encoder, (incremented as Records).args(counted));
        });
        const what = describeSort(sort);
        await copied?.verify(`${what}, copied`, [{ offset: 0, count: count - 1 }]);
        await incremented?.verify(`${what}, incremented`, [{ offset: 0, count }]);
        bench.free();
      }
    }
  },
};

const passCheck: Check<Bench> = {
  // Of one type, and named after it: how a sort is recorded does not depend on the records.
  name: "u32 keys, u32 values: in a compute pass of the caller's, amid dispatches that count",
  async run(bench) {
    const type = { keyType: 'u32', valueType: 'u32' } as const;
    for (const count of countsFor(bench, type)) {
      const maxCount = count + 50;
      const sort: Sort = { ...type, order: 'ascending', count, maxCount, distribution: SPECIAL };
      const sorter = await bench.sorter(optionsFor(sort));
      const fresh = (): Records => recordsFor(bench, { ...sort, behind: 60 });
      const [once, twice, direct] = [fresh(), fresh(), fresh()];
      const counts = bench.buffer(Uint32Array.of(0, count - 2));
      const counted = { buffer: counts, offset: 4 };
      const increment = incrementer(bench, counts);
      bench.submit((encoder) => {
        const pass = encoder.beginComputePass();
        increment(pass);
        sorter.encode(pass, once.args(counted));
        increment(pass);
        sorter.encode(pass, twice.args(counted));
        sorter.encode(pass, direct.args(count + 1));
        sorter.encode(pass, direct.args(0));
        pass.end();
      });
      const what = `in a pass, ${describeSort(sort)}`;
      await once.verify(`${what}, incremented once`, [{ offset: 0, count: count - 1 }]);
      await twice.verify(`${what}, incremented twice`, [{ offset: 0, count }]);
      await direct.verify(`${what}, one more`, [{ offset: 0, count: count + 1 }]);
      bench.free();
    }
  },
};

/** Keys that are in order are sorted again: their indices are written anew, and nothing is made. */
async function verifyTwice(bench: Bench, sort: Sort): Promise<void> {
  const { count, offset = 0 } = sort;
  const sorter = await bench.sorter(optionsFor(sort));
  const records = recordsFor(bench, sort);
  const encoder = bench.device.createCommandEncoder();
  const spy = new Spy(bench.device);
  sorter.encode(encoder, records.args(count, offset));
  spy.start();
  sorter.encode(encoder, records.args(count, offset));
  spy.stop();
  bench.device.queue.submit([encoder.finish()]);
  const what = `again, ${describeSort(sort)}`;
  if (spy.calls.length > 0) throw new Error(`${what}: encode called ${spy.calls}`);
  const values = await bench.read(records.values as GPUBuffer);
  const wrong = values
    .subarray(offset, offset + count)
    .findIndex((value, i) => value !== offset + i);
  if (wrong >= 0) throw new Error(`${what}: value ${offset + wrong} is not its own index`);
  bench.free();
}

const indexCheck: Check<Bench> = {
  name: 'u32 keys, u32 values that the sorter writes: the index of every key, whatever was there',
  async run(bench) {
    for (const keyType of bench.subject.thorough ? GPU_KEY_TYPES : (['u32'] as const)) {
      const type = { keyType, valueType: 'index' } as const;
      for (const count of [0, 1, 2, ...countsFor(bench, type)]) {
        const sort = { ...type, count, behind: 60, distribution: SPECIAL };
        const place = (): Pick<Sort, 'order' | 'offset'> => ({
          order: bench.any(ORDERS),
          offset: bench.any(OFFSETS),
        });
        await verifySort(bench, { ...sort, ...place() });
        const fewer = { value: count, at: bench.any(COUNTS_AT) };
        await verifySort(bench, { ...sort, ...place(), counted: fewer, maxCount: count + 50 });
        const more = { value: bench.any([count + 1, 0xffffffff]), at: bench.any(COUNTS_AT) };
        await verifySort(bench, { ...sort, ...place(), counted: more });
        // The buffers end with the last key, even if it is the only one.
        if (count > 0) await verifyTwice(bench, { ...sort, ...place(), behind: 0 });
      }
    }
  },
};

const otherCountsCheck: Check<Bench> = {
  name: 'the same records, counted in one place, then in others',
  async run(bench) {
    for (const type of typesFor(bench)) {
      for (const count of countsFor(bench, type)) {
        const sort: Sort = { ...type, order: 'ascending', count: count + 9, distribution: SPECIAL };
        const sorter = await bench.sorter(optionsFor(sort));
        const records = recordsFor(bench, sort);
        // More each time: what is sorted once more stays sorted.
        const words = new Uint32Array(100);
        for (const [i, at] of [0, 1, 64].entries()) words[at] = count + i;
        const buffer = bench.buffer(words);
        const places: readonly GpuSortArguments['count'][] = [
          { buffer },
          { buffer, offset: 4 },
          { buffer, offset: 256 },
          { buffer: bench.buffer(Uint32Array.of(count + 3)) },
          count + 4,
        ];
        for (const [i, place] of places.entries()) {
          bench.submit((encoder) => sorter.encode(encoder, records.args(place)));
          const what = `count ${i + 1} of ${places.length}, ${describeSort(sort)}`;
          await records.verify(what, [{ offset: 0, count: count + i }]);
        }
        bench.free();
      }
    }
  },
};

const manyPartsCheck: Check<Bench> = {
  name: 'one sorter, many counts and offsets in one encoder',
  async run(bench) {
    const { random } = bench.subject;
    for (const type of typesFor(bench)) {
      const [small = 0, large = 0] = countsFor(bench, type);
      const order = bench.any(ORDERS);
      const counts = [large, small, 0, 1, large + 200, 300, large - 200, small];
      let end = 0;
      const parts = counts.map((count) => {
        const offset = end + random.below(70);
        end = offset + count;
        return { offset, count, order };
      });
      const whole: Sort = { ...type, order, count: end, behind: 9, distribution: SPECIAL };
      const records = recordsFor(bench, whole);
      const sorter = await bench.sorter({ ...type, order, maxCount: large + 200 });
      const recorded = [...parts].sort(() => random.unit() - 0.5);
      bench.submit((encoder) => {
        for (const [i, { offset, count }] of recorded.entries()) {
          const counted = i % 3 === 0 ? countBuffer(bench, { value: count, at: 4 * i }) : count;
          sorter.encode(encoder, records.args(counted, offset));
        }
      });
      await records.verify(`many sorts, ${describeSort(whole)}`, parts);
      bench.free();
    }
  },
};

const farCheck: Check<Bench> = {
  name: 'keys that no binding from the start of their buffer reaches',
  async run(bench) {
    const { device, subject } = bench;
    const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
    const size = Math.min(maxStorageBufferBindingSize + 2 ** 16, maxBufferSize);
    const { STORAGE, COPY_SRC, COPY_DST } = BufferUsage;
    const buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    for (const count of countsFor(bench, { keyType: 'u32' })) {
      const keys = randomKeys(count, subject.random);
      const offset = size / 4 - count;
      bench.write(buffer, 4 * offset, keys);
      const sorter = await bench.sorter({ keyType: 'u32', maxCount: count });
      bench.submit((encoder) => sorter.encode(encoder, { keys: buffer, count, offset }));
      const sorted = await bench.read(buffer, 4 * offset);
      assertSameBits(`${count} keys at ${offset}`, sorted, keys.sort());
    }
    buffer.destroy();
  },
};

/** The checks of which records a sorter sorts. */
export const GPU_PLACE_CHECKS: readonly Check<Bench>[] = [
  offsetCheck,
  countCheck,
  endCheck,
  writtenCountCheck,
  passCheck,
  indexCheck,
  otherCountsCheck,
  manyPartsCheck,
  farCheck,
];
