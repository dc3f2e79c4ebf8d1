/** Checks of how a sorter behaves: what it records, beside which others, and what it holds. */

import type { Check } from '../check.js';
import type { Bench } from './bench.js';
import { RECORD_TYPES } from './order-checks.js';
import { countsFor, typesFor } from './place-checks.js';
import { countBuffer, describeSort, optionsFor, recordsFor, type Sort, SPECIAL } from './sorts.js';
import { Spy } from './spy.js';
import { describeType, keyBytes, type RecordType } from './subject.js';

const recordingCheck: Check<Bench> = {
  name: 'encode records: it makes nothing, submits nothing, and binds the same buffers once',
  async run(bench) {
    for (const type of typesFor(bench)) {
      for (const count of countsFor(bench, type)) {
        const sort: Sort = { ...type, order: 'ascending', count, behind: 1, distribution: SPECIAL };
        const sorter = await bench.sorter(optionsFor(sort));
        const records = recordsFor(bench, sort);
        const counted = countBuffer(bench, { value: count, at: 0 });
        const encoder = bench.device.createCommandEncoder();
        const spy = new Spy(bench.device);
        const made = (): readonly string[] =>
          spy.calls.filter((call) => call !== 'createBindGroup');
        spy.start(records.keys, records.values);
        for (const either of [count, counted]) {
          spy.forget();
          sorter.encode(encoder, records.args(either));
          if (made().length > 0) throw new Error(`encode called ${made()}`);
          spy.forget();
          sorter.encode(encoder, records.args(either));
          if (spy.calls.length > 0)
            throw new Error(`encode of the same buffers called ${spy.calls}`);
        }
        spy.stop();
        bench.device.queue.submit([encoder.finish()]);
        await records.verify(describeSort(sort), [{ offset: 0, count }]);
        bench.free();
      }
    }
  },
};

const interleavedCheck: Check<Bench> = {
  name: 'several sorters by turns in one encoder',
  async run(bench) {
    const types = typesFor(bench);
    for (const type of bench.some(types, 1)) {
      const other = types[(types.indexOf(type) + 1) % types.length] as RecordType;
      // Of the same type in both orders, too: they share their pipelines.
      const sorts = [type, other, type].flatMap((each, k) =>
        countsFor(bench, each).map((count): Sort => {
          const order = k === 2 ? 'descending' : 'ascending';
          return { ...each, order, count, behind: 2, distribution: SPECIAL };
        }),
      );
      const work = await Promise.all(
        sorts.map(async (sort) => {
          const sorter = await bench.sorter(optionsFor(sort));
          return { sort, sorter, twice: [recordsFor(bench, sort), recordsFor(bench, sort)] };
        }),
      );
      bench.submit((encoder) => {
        for (const turn of [0, 1]) {
          for (const { sort, sorter, twice } of work) {
            const args = twice[turn]?.args(sort.count);
            if (args) sorter.encode(encoder, args);
          }
        }
      });
      for (const { sort, twice } of work) {
        for (const records of twice)
          await records.verify(describeSort(sort), [{ offset: 0, ...sort }]);
      }
      bench.free();
    }
  },
};

const laterCheck: Check<Bench> = {
  name: 'sorts are done when their commands are, in whatever order those were recorded',
  async run(bench) {
    for (const type of typesFor(bench)) {
      const [small = 0, large = 0] = countsFor(bench, type);
      const sorter = await bench.sorter({ ...type, maxCount: large });
      const sorts = [large, small, large - 1].map((count): Sort => {
        return { ...type, order: 'ascending', count, behind: 3, distribution: SPECIAL };
      });
      const work = sorts.map((sort) => {
        const records = recordsFor(bench, sort);
        const encoder = bench.device.createCommandEncoder();
        sorter.encode(encoder, records.args(sort.count));
        return { sort, records, commands: encoder.finish() };
      });
      for (const { sort, records } of work)
        await records.verify(`before ${describeSort(sort)}`, []);
      bench.device.queue.submit(work.map(({ commands }) => commands).reverse());
      // What was submitted is done all the same.
      sorter.destroy();
      for (const { sort, records } of work) {
        await records.verify(describeSort(sort), [{ offset: 0, ...sort }]);
      }
      bench.free();
    }
  },
};

const twoKeysCheck: Check<Bench> = {
  name: 'a sort by minor bits, then one by major bits, of the same records in one encoder',
  async run(bench) {
    const { random, tile } = bench.subject;
    for (const valueType of [undefined, 'u32'] as const) {
      const count = tile[4] + 1 + random.below(tile[4]);
      const border = 1 + random.below(31);
      const sort: Sort = {
        keyType: 'u32',
        valueType,
        order: 'ascending',
        count,
        distribution: SPECIAL,
      };
      const records = recordsFor(bench, sort);
      const minor = await bench.sorter({ ...optionsFor(sort), keyBits: { begin: 0, end: border } });
      const major = await bench.sorter({
        ...optionsFor(sort),
        keyBits: { begin: border, end: 32 },
      });
      bench.submit((encoder) => {
        minor.encode(encoder, records.args(count));
        major.encode(encoder, records.args(count));
      });
      await records.verify(`bits from ${border} after those below, ${describeSort(sort)}`, [
        { offset: 0, count },
      ]);
      bench.free();
    }
  },
};

const memoryCheck: Check<Bench> = {
  name: 'scratchBytes is what create takes, little more than the records, and destroy frees it',
  async run(bench) {
    const { device, subject } = bench;
    const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
    const spy = new Spy(device);
    const types = subject.thorough ? RECORD_TYPES : typesFor(bench);
    for (const [i, type] of types.entries()) {
      const tile = subject.tile[keyBytes(type.keyType)];
      const counts = [0, 1, tile, tile + 1, 2 * tile, 10_000, 100_003, 1_000_000];
      const widest = Math.max(keyBytes(type.keyType), type.valueType === 'u64' ? 8 : 4);
      const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / widest);
      if (subject.thorough) counts.push(10 ** 7, most - 1);
      // What a device's sorters share is made by the first.
      (await bench.sorter({ ...type, maxCount: tile + 1 })).destroy();
      for (const maxCount of counts.filter((count) => count < most)) {
        spy.start();
        const sorter = await bench.sorter({ ...type, maxCount });
        spy.stop();
        const what = `a sorter of ${maxCount} ${describeType(type)}`;
        const { scratchBytes } = sorter;
        if (scratchBytes !== spy.bytes) {
          throw new Error(`${what}: scratchBytes ${scratchBytes}, but it made ${spy.bytes} bytes`);
        }
        const bytes = maxCount * (keyBytes(type.keyType) + valueBytes(type));
        const { long } = subject.scratch;
        const isBare = type.valueType === undefined;
        const isLong = isBare && long && maxCount >= long.fewest[keyBytes(type.keyType)];
        const allowed = isLong ? long : subject.scratch;
        if (scratchBytes > (1 + allowed.share) * bytes + allowed.bytes) {
          throw new Error(`${what} takes ${scratchBytes} bytes for ${bytes} of records`);
        }
        if (i % 2 === 0) sorter.destroy();
        else sorter[Symbol.dispose]();
        if (spy.buffers.size > 0)
          throw new Error(`${what} leaves ${spy.buffers.size} buffers behind`);
        sorter.destroy();
      }
      bench.free();
    }
  },
};

const valueBytes = ({ valueType }: RecordType): number =>
  valueType === undefined ? 0 : valueType === 'u64' ? 8 : 4;

/** The checks of how a sorter behaves. */
export const GPU_CONDUCT_CHECKS: readonly Check<Bench>[] = [
  recordingCheck,
  interleavedCheck,
  laterCheck,
  twoKeysCheck,
  memoryCheck,
];
