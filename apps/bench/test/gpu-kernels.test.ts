import { describe, expect, it } from 'vitest';
import { bytesOf } from '../src/gpu/kernels/bytes.js';
import { busyWorkgroups, recordApart } from '../src/gpu/kernels/dispatches.js';

describe('bytesOf', () => {
  const sizes = { length: 1000, keyBytes: 8, valueBytes: 4 };

  it.each([
    ['histogram', 8000],
    ['firstSweep', 24_000],
    ['sweep', 24_000],
    ['copyBack', 24_000],
    ['survey', 8000],
    ['upsweep', 8000 + 3 * 1024],
    ['downsweep', 24_000 + 3 * 1024],
    ['spine', 6 * 1024],
    ['plan', 0],
  ])('of %s', (kernel, bytes) => {
    expect(bytesOf(kernel, sizes, 3)).toBe(bytes);
  });
});

describe('recordApart', () => {
  /** An encoder that writes down what it is told. */
  function listener() {
    const told: string[] = [];
    const encoder = {
      clearBuffer: (buffer: string, offset: number) => told.push(`clear ${buffer} ${offset}`),
      beginComputePass: ({ timestampWrites }: GPUComputePassDescriptor) => {
        const { beginningOfPassWriteIndex, endOfPassWriteIndex } = timestampWrites!;
        told.push(`pass ${beginningOfPassWriteIndex} ${endOfPassWriteIndex}`);
        return {
          setPipeline: ({ label }: { label: string }) => told.push(label),
          setBindGroup: (index: number, group: string, offsets: number[]) =>
            told.push(`group ${index} ${group} ${offsets}`),
          dispatchWorkgroups: (count: number) => told.push(`dispatch ${count}`),
          end() {},
        };
      },
    };
    return { told, encoder: encoder as unknown as GPUCommandEncoder };
  }

  it('gives every dispatch a pass with the groups of its layout', () => {
    const { told, encoder } = listener();
    const dispatches = recordApart(encoder, {} as GPUQuerySet, (fake) => {
      const named = (name: string) => name as never;
      const pipeline = (label: string) => ({ label }) as GPUComputePipeline;
      fake.clearBuffer(named('counts'), 16);
      const pass = fake.beginComputePass();
      pass.setBindGroup(0, named('a'));
      pass.setBindGroup(1, named('b'), [256]);
      pass.setBindGroup(2, named('c'));
      pass.setPipeline(pipeline('keysweep histogram'));
      pass.dispatchWorkgroups(7);
      pass.setPipeline(pipeline('keysweep plan'));
      pass.dispatchWorkgroups(1);
      pass.end();
      fake.clearBuffer(named('tickets'), 0);
      const next = fake.beginComputePass();
      next.setPipeline(pipeline('keysweep sweep'));
      next.dispatchWorkgroups(5);
      next.end();
    });
    expect(told).toEqual([
      'clear counts 16',
      ...[
        'pass 0 1',
        'keysweep histogram',
        'group 0 a ',
        'group 1 b 256',
        'group 2 c ',
        'dispatch 7',
      ],
      ...['pass 2 3', 'keysweep plan', 'group 0 a ', 'group 1 b 256', 'dispatch 1'],
      'clear tickets 0',
      ...['pass 4 5', 'keysweep sweep', 'group 0 a ', 'group 1 b 256', 'group 2 c ', 'dispatch 5'],
    ]);
    expect(dispatches).toEqual([
      { kernel: 'histogram', workgroups: 7 },
      { kernel: 'plan', workgroups: 1 },
      { kernel: 'sweep', workgroups: 5 },
    ]);
  });
});

describe('busyWorkgroups', () => {
  const of = (kernel: string, workgroups = 9) => ({ kernel, workgroups });
  const sweeps = [of('firstSweep'), of('sweep'), of('sweep'), of('sweep')];

  it.each([
    [0, [9, 1, 0, 0, 0, 0]],
    [1, [9, 1, 9, 9, 0, 0]],
    [3, [9, 1, 9, 9, 9, 9]],
    [4, [9, 1, 9, 9, 9, 9]],
  ])('leaves out what %i passes do without', (passes, workgroups) => {
    const dispatches = [of('histogram'), of('plan', 1), ...sweeps];
    expect(busyWorkgroups(dispatches, { passesRun: passes, blocks: 0 })).toEqual(workgroups);
  });

  it.each([
    [{ passesRun: 2, blocks: 5 }, [3, 1, 5, 2, 5, 5, 2, 5, 0, 0, 0, 0]],
    [{ passesRun: 3, blocks: 5 }, [3, 1, 5, 2, 5, 5, 2, 5, 5, 2, 5, 4]],
    // By a map.
    [{ passesRun: 2, blocks: 0 }, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('of reduce-then-scan, %j', (planned, workgroups) => {
    const pass = [of('upsweep'), of('spine', 2), of('downsweep')];
    const passes = [...pass, ...pass, ...pass, of('copyBack', 4)];
    expect(busyWorkgroups([of('survey', 3), of('plan', 1), ...passes], planned)).toEqual(
      workgroups,
    );
    expect(busyWorkgroups([of('workgroupSort', 1)], planned)).toEqual([1]);
  });
});
