/** The parts of a plan: who can serve a request, who is quickest, and what is said of it. */

import type { BackendName, KeyBits, RequestShape } from '@keysweep/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type BuiltinRival,
  BuiltinRule,
  planRequest,
  refusalOf,
  stepOf,
} from '../../dist/plan/plan.js';
import type { Candidate } from '../../dist/plan/types.js';
import { Pace } from '../../dist/run/pace.js';
import { Rest } from '../../dist/run/rest.js';
import { StartUp } from '../../dist/run/start-up.js';
import { costs, shape } from '../made-up.js';

const BITS: KeyBits = { begin: 3, end: 8 };

const candidate = (name: BackendName, changes: Partial<Candidate> = {}): Candidate => ({
  backend: { name, maxLength: () => 2 ** 32 },
  probe: {
    available: true,
    capabilities: { description: `a ${name}`, software: false, threads: 1 },
  },
  estimate: { costs: costs({ backend: name }), corrections: undefined, start: 8 },
  ...{ isWarm: true, startUp: 0, restsFor: 0, failure: undefined, heldBytes: 0 },
  ...changes,
});

/** A candidate by its nanoseconds a key; it takes three times as long when cold. */
const taking = (name: BackendName, nanoseconds: number, changes: Partial<Candidate> = {}) =>
  candidate(name, {
    estimate: {
      costs: costs({ backend: name, keys: Array(7).fill(nanoseconds), cold: 3 }),
      corrections: undefined,
      start: 8,
    },
    ...changes,
  });

describe('a plan', () => {
  const MILLION = shape('sort', 'u32', 1e6);
  const note = { name: 'n', reason: 'r' };
  const conditions = { profile: note, allowSoftware: false, freeBytes: Number.POSITIVE_INFINITY };
  const plan = (candidates: Candidate[], more: Partial<typeof conditions> = {}) => {
    const { steps, refused, profile } = planRequest(MILLION, candidates, {
      ...conditions,
      ...more,
    });
    expect(profile).toBe(note);
    return {
      steps: steps.map(({ backend, milliseconds }) => [backend, Math.round(milliseconds)]),
      refused: refused.map(({ backend, reason }) => [backend, reason]),
    };
  };

  it('has the quickest first, and equals in their order', () => {
    const { steps, refused } = plan([
      taking('webgpu', 50),
      taking('builtin', 20),
      taking('cpu', 20),
      taking('webgl2', 10),
    ]);
    expect(steps).toEqual([
      ['webgl2', 10],
      ['builtin', 20],
      ['cpu', 20],
      ['webgpu', 50],
    ]);
    expect(refused).toEqual([]);
  });

  it('counts what is left of a start, and says what the start takes', () => {
    const cold = { isWarm: false, startUp: 5 };
    // 3 * 10 ms and a rest of 5: 35. Callers hear of all 8.
    const quick = taking('cpu', 10, cold);
    expect(plan([taking('builtin', 34), quick]).steps).toEqual([
      ['builtin', 34],
      ['cpu', 38],
    ]);
    expect(plan([taking('builtin', 36), quick]).steps[0]).toEqual(['cpu', 38]);
    // A start that has paid counts for nothing.
    const paid = taking('cpu', 10, { ...cold, startUp: 0 });
    expect(plan([taking('builtin', 11), paid]).steps[0]).toEqual(['cpu', 38]);
    expect(stepOf(MILLION, quick).reason).toBe('38 ms expected, 28 ms of it to start (a cpu)');
    expect(stepOf(MILLION, taking('cpu', 10)).reason).toBe('10 ms expected (a cpu)');
    expect(stepOf(MILLION, taking('cpu', 10, { probe: undefined })).reason).toMatch(
      /^10 ms expected \(not probed yet\)$/,
    );
    const pace = { of: () => 1.234 };
    expect(stepOf(MILLION, taking('cpu', 10, { pace })).reason).toBe('12 ms expected (a cpu)');
    expect(stepOf(MILLION, { ...quick, pace }).reason).toMatch(/^47 ms expected, 35 ms of it/);
  });

  it('refuses backends that cannot serve it, and says why', () => {
    const missing = candidate('webgpu', { probe: { available: false, reason: 'no GPU' } });
    const short = candidate('webgl2', { backend: { name: 'webgl2', maxLength: () => 999_999 } });
    const none = candidate('cpu', { backend: { name: 'cpu', maxLength: () => 0 } });
    const { steps, refused } = plan([missing, short, none, candidate('builtin')]);
    expect(steps).toEqual([['builtin', 100]]);
    expect(refused).toEqual([
      ['webgpu', 'no GPU'],
      ['webgl2', '1000000 keys are over its limit of 999999 for this request'],
      ['cpu', 'it has no sort of u32 keys'],
    ]);
    const exact = { name: 'cpu', maxLength: () => 1e6 } as const;
    expect(refusalOf(MILLION, candidate('cpu', { backend: exact }))).toBeUndefined();
    const two = { ...MILLION, keyTypes: ['u32', 'f64'] } as RequestShape;
    expect(refusalOf(two, none)).toBe('it has no sort of u32, f64 keys');
  });

  it('has a software adapter where it is allowed', () => {
    const capabilities = { description: 'SwiftShader', software: true, threads: 1 };
    const software = candidate('webgpu', { probe: { available: true, capabilities } });
    expect(plan([software])).toEqual({
      steps: [],
      refused: [['webgpu', 'SwiftShader is a software adapter']],
    });
    expect(plan([software], { allowSoftware: true }).steps).toEqual([['webgpu', 100]]);
    expect(plan([candidate('webgpu', { probe: undefined })]).steps).toEqual([['webgpu', 100]]);
  });

  it('has a backend that rests, or lacks memory, only if there is no other', () => {
    const resting = taking('cpu', 1, { restsFor: 1500, failure: 'it broke' });
    const why = 'it rests for another 1500 ms since it failed: it broke';
    expect(plan([resting, taking('builtin', 50)])).toEqual({
      steps: [['builtin', 50]],
      refused: [['cpu', why]],
    });
    expect(plan([resting])).toEqual({ steps: [['cpu', 1]], refused: [] });
    // 8 bytes a key, and four for the one segment.
    const needed = 8e6 + 4;
    const own = taking('builtin', 50);
    const with_ = (freeBytes: number, heldBytes = 0) =>
      plan([taking('cpu', 1, { heldBytes }), own], { freeBytes });
    expect(with_(needed).refused).toEqual([]);
    expect(with_(needed - 1)).toEqual({
      steps: [['builtin', 50]],
      refused: [['cpu', 'it would take another 8 MiB, and 8 MiB are free']],
    });
    expect(with_(2 ** 20, needed - 2 ** 20).refused).toEqual([]);
    expect(with_(2 ** 20, needed - 2 ** 20 - 1).steps).toEqual([['builtin', 50]]);
    expect(with_(0, 1e12).refused).toEqual([]);
    // The result of an argsort is taken afresh, however much is held.
    const argsort = { ...conditions, freeBytes: 4e6 - 1 };
    const held = (['cpu', 'webgpu'] as const).map((name) => taking(name, 1, { heldBytes: 1e12 }));
    const { refused } = planRequest(shape('argsort', 'u32', 1e6), held, argsort);
    expect(refused.map(({ backend }) => backend)).toEqual(['cpu']);
    expect(plan([taking('cpu', 1), resting], { freeBytes: 0 }).steps.length).toBe(2);
  });
});

describe("the rule for the runtime's own sort", () => {
  /** A rival with its own count of what was missed. */
  const rival = (name: BackendName, nanoseconds: number, changes: Partial<Candidate> = {}) => {
    const missed: number[] = [];
    const noteMissed = (milliseconds: number) => void missed.push(milliseconds);
    return { ...taking(name, nanoseconds, changes), noteMissed, missed } as BuiltinRival & {
      missed: number[];
      startUp: number;
    };
  };
  const one = shape('sort', 'u32', 100_000);

  it('leaves to it what no other would do sooner', () => {
    const rule = new BuiltinRule(rival('builtin', 100), [rival('cpu', 100), rival('webgpu', 101)]);
    expect(rule.isForBuiltin(one)).toBe(true);
    expect(rule.isForBuiltin({ ...one, length: 2 ** 20 - 1 })).toBe(true);
    expect(rule.isForBuiltin({ ...one, length: 2 ** 20 })).toBe(false);
    for (const more of [
      { keyTypes: ['u32', 'u32'] },
      { segmentCount: 2 },
      { keyBits: BITS },
    ] as Partial<RequestShape>[]) {
      expect(rule.isForBuiltin({ ...one, ...more })).toBe(false);
    }
  });

  it('leaves nothing to it while it rests', () => {
    const rule = new BuiltinRule(rival('builtin', 100, { restsFor: 1 }), []);
    expect(rule.isForBuiltin(one)).toBe(false);
    expect(new BuiltinRule(rival('builtin', 100), []).isForBuiltin(one)).toBe(true);
  });

  it('adds up what quicker ones would have saved, until a start pays', () => {
    // Half of 100 ns a key, about 5 ms; cold they take three times as long.
    const cpu = rival('cpu', 20, { startUp: 8 });
    const rule = new BuiltinRule(rival('builtin', 100), [cpu, rival('webgl2', 200)]);
    expect(rule.isForBuiltin(one)).toBe(true);
    expect(cpu.missed.length).toBe(1);
    const [saved = 0] = cpu.missed;
    // A quarter of an octave has one answer, for its middle: from 98,304 to 114,688 keys.
    expect(saved).toBeCloseTo((106_496 * 80) / 1e6, 9);
    for (const length of [98_304, 114_687]) rule.isForBuiltin({ ...one, length });
    expect(cpu.missed).toEqual([saved, saved, saved]);
    rule.isForBuiltin({ ...one, length: 114_688 });
    expect(cpu.missed[3]).toBeGreaterThan(saved);
    const savedCold = (106_496 * 40) / 1e6;
    cpu.startUp = savedCold + 0.001;
    expect(rule.isForBuiltin(one)).toBe(true);
    cpu.startUp = savedCold - 0.001;
    expect(rule.isForBuiltin(one)).toBe(false);
    cpu.startUp = 0;
    expect(rule.isForBuiltin(one)).toBe(false);
  });

  it('asks anew after its answers were dropped', () => {
    const own = rival('builtin', 100);
    const cpu = rival('cpu', 200);
    const rule = new BuiltinRule(own, [cpu]);
    expect(rule.isForBuiltin(one)).toBe(true);
    (cpu as { estimate: unknown }).estimate = rival('cpu', 10).estimate;
    expect(rule.isForBuiltin(one)).toBe(true);
    rule.forget();
    expect(rule.isForBuiltin(one)).toBe(false);
    (cpu as { probe: unknown }).probe = { available: false, reason: '' };
    expect(rule.isForBuiltin(one)).toBe(false);
    rule.forget();
    expect(rule.isForBuiltin(one)).toBe(true);
  });

  it('knows every length, the shortest too', () => {
    const rule = new BuiltinRule(rival('builtin', 100), [rival('cpu', 10)]);
    for (const length of [0, 1, 2, 3, 4, 7, 8]) {
      expect(rule.isForBuiltin({ ...one, length })).toBe(false);
    }
  });
});

describe('a backend that has failed', () => {
  it('rests for a second, and twice as long each time, up to a minute', () => {
    let now = 5000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const rest = new Rest();
    expect(rest.restsFor).toBe(0);
    const rests = Array.from({ length: 9 }, (_, i) => {
      rest.noteFailure(i % 2 === 0 ? new Error('no') : 'none');
      expect(rest.failure).toBe(i % 2 === 0 ? 'no' : 'none');
      return rest.restsFor;
    });
    expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    now += 59_999;
    expect(rest.restsFor).toBe(1);
    now += 2;
    expect(rest.restsFor).toBe(0);
    rest.noteFailure(new Error('no'));
    rest.noteSuccess();
    expect(rest.restsFor).toBe(0);
    rest.noteFailure(new Error('no'));
    expect(rest.restsFor).toBe(1000);
  });
});

describe('a start', () => {
  it('costs what was not missed yet, until the backend is warm', () => {
    const startUp = new StartUp();
    expect(startUp.costOf(10)).toBe(10);
    for (const missed of [4, -3, 0, 2]) startUp.noteMissed(missed);
    expect([startUp.costOf(10), startUp.costOf(6), startUp.costOf(5)]).toEqual([4, 0, 0]);
    startUp.isWarm = true;
    expect(startUp.costOf(10)).toBe(0);
    startUp.noteMissed(100);
    startUp.isWarm = false;
    expect(startUp.costOf(10)).toBe(4);
    startUp.isWarm = true;
    startUp.reset();
    expect([startUp.isWarm, startUp.costOf(10)]).toEqual([false, 10]);
  });
});

describe('the pace of a backend', () => {
  it('nears what sorts of one class take, by a factor of two at most', () => {
    const pace = new Pace();
    const long = shape('sort', 'u32', 10_000);
    expect(pace.of(long)).toBe(1);
    pace.note({ ...long, length: 9999 }, 1, 4);
    pace.note(long, 1, 0);
    expect(pace.of(long)).toBe(1);
    pace.note(long, 1, 1.44);
    expect(pace.of(long)).toBeCloseTo(1.2, 12);
    expect(pace.of({ ...long, keyTypes: ['i32'] })).toBeCloseTo(1.2, 12);
    expect(pace.of({ ...long, keyTypes: ['f32'] })).toBe(1);
    expect(pace.of({ ...long, operation: 'argsort' })).toBe(1);
    const rows = shape('argsort', 'u8', 20_000);
    pace.note(rows, 1, 100);
    expect(pace.of(rows)).toBeCloseTo(Math.SQRT2, 12);
    pace.note(rows, 1, 1e-9);
    expect(pace.of(rows)).toBeCloseTo(1, 12);
  });
});
