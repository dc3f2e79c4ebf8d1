/** What is expected of a backend is corrected by what its sorts took; the choice of one is not. */

import { type Backend, plainShape, type SortReport } from '@keysweep/core';
import { builtin, createSorter } from 'keysweep';
import { afterEach, expect, it, vi } from 'vitest';
import { thisMachine } from '../../dist/machine/machine-node.js';
import { BackendState } from '../../dist/run/backend-state.js';
import { fake, MANY, random } from '../fakes.js';

afterEach(() => vi.restoreAllMocks());

const LENGTH = 100_000;

/**
 * A sorter on a machine that takes `factor` times as long as a plan says, by its clock, and before
 * that lets a sort wait `waits` times as long.
 */
async function slowSorter(factor: number, waits = 0) {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const own = builtin();
  let took = 0;
  const slow: Partial<Backend> = {
    async sort(request) {
      const outcome = await own.sort(request);
      const queue = waits * took;
      now += queue + took;
      return { ...outcome, milliseconds: { queue, sort: took } };
    },
  };
  const sorter = await createSorter({ backends: [fake('cpu', slow), builtin()] });
  const [planned] = sorter.plan({ keyType: 'u32', length: LENGTH }).steps;
  took = factor * (planned?.milliseconds as number);
  const sort = async (length = LENGTH): Promise<SortReport> => {
    let report: SortReport | undefined;
    await sorter.sort(random(length), { onReport: (r) => (report = r), backend: 'cpu' });
    return report as SortReport;
  };
  return { sorter, sort };
}

it.each([0.25, 3, 8])('expects what sorts take that take %f times as long', async (factor) => {
  const { sorter, sort } = await slowSorter(factor);
  await sorter.warmUp();
  for (let i = 0; i < 20; i++) await sort();
  const { predicted, milliseconds } = await sort();
  const ratio = milliseconds.total / (predicted as number);
  expect(ratio).toBeGreaterThan(1 / 1.5);
  expect(ratio).toBeLessThan(1.5);
  await sorter.close();
});

it('expects of a sort that waited in the queue of its backend what it took itself', async () => {
  const { sorter, sort } = await slowSorter(1, 9);
  await sorter.warmUp();
  for (let i = 0; i < 20; i++) await sort();
  const { predicted, milliseconds } = await sort();
  const took = milliseconds.sort as number;
  expect(milliseconds.total).toBeCloseTo(10 * took, 6);
  expect((predicted as number) / took).toBeGreaterThan(1 / 1.5);
  expect((predicted as number) / took).toBeLessThan(1.5);
  await sorter.close();
});

it('chooses as before', async () => {
  const { sorter, sort } = await slowSorter(50);
  await sorter.warmUp();
  const backends = () =>
    sorter.plan({ keyType: 'u32', length: LENGTH }).steps.map((s) => s.backend);
  const before = backends();
  for (let i = 0; i < 5; i++) await sort();
  expect(backends()).toEqual(before);
  await sorter.close();
});

it('begins anew with other figures, which have what was learnt', () => {
  const state = new BackendState(builtin(), thisMachine(), 30_000);
  const shape = plainShape('sort', 'u32', LENGTH);
  state.pace.note(shape, 1, 2);
  expect(state.pace.of(shape)).toBeGreaterThan(1);
  for (const figures of [{ times: {} }, undefined]) {
    state.use(figures);
    expect(state.pace.of(shape)).toBe(1);
    state.pace.note(shape, 1, 2);
  }
});

it('learns nothing from few keys', async () => {
  const { sorter, sort } = await slowSorter(8);
  await sorter.warmUp();
  const { predicted } = await sort(1000);
  for (let i = 0; i < 5; i++) await sort(1000);
  expect((await sort(1000)).predicted).toBe(predicted);
  await sorter.close();
});

it('expects nothing else of a backend that served after another had failed', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const own = builtin();
  const served = fake('builtin', {
    sort(request) {
      now += 5;
      return own.sort(request);
    },
  });
  const failing = fake('cpu', {
    async sort() {
      now += 10_000;
      throw new Error('out of luck');
    },
  });
  const predictions: (number | undefined)[] = [];
  for (const hasFailure of [false, true]) {
    const backends = [failing, served];
    const sorter = await createSorter({ backends, onWarning: () => {} });
    const reports: SortReport[] = [];
    const onReport = (report: SortReport): void => void reports.push(report);
    await sorter.sort(random(MANY), { onReport, backend: 'builtin' });
    if (hasFailure) await sorter.sort(random(MANY), { onReport });
    await sorter.sort(random(MANY), { onReport, backend: 'builtin' });
    expect(reports.map(({ fallbacks }) => fallbacks.length)).toEqual(
      hasFailure ? [0, 1, 0] : [0, 0],
    );
    predictions.push(reports.at(-1)?.predicted);
    await sorter.close();
  }
  expect(predictions[1]).toBe(predictions[0]);
});
