/** A sort whose process is killed: what it leaves, and what `resume` makes of that. */

import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import type { FileReport } from '../dist/index.js';
import { sortFile } from '../dist/index.js';
import { LENGTH, scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write, numbersFile, kill, sort } = scratch();

const MEMORY = 200_000;
const OPTIONS = { type: 'u32', memory: MEMORY } as const;

describe('a process that is killed', () => {
  it('while it sorts is resumed: finished parts are not repeated', async () => {
    const { input, sorted } = numbersFile('in');
    writeFileSync(path('out'), 'before');
    kill(OPTIONS, 'sort', 3);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    expect(names()).toHaveLength(4);
    const report = await sort(input, path('out'), { ...OPTIONS, resume: true });
    expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
    // The third part was written and noted before it was told of.
    expect(report.partsResumed).toBeGreaterThanOrEqual(3);
    expect(report.milliseconds.partition).toBe(0);
    expect(report.bytesRead).toBeLessThan(4 * LENGTH);
    expect(names()).toEqual(['in', 'out']);
  });

  it('twice is resumed twice, repeats left out', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(LENGTH));
    // Enough repeats to cross the bounds of parts.
    for (let i = 0; i < LENGTH; i++) (numbers[i] as number) %= 7;
    const input = write('in', numbers);
    // With enough parts, some are left each time, although several may be noted at once.
    const options = { ...OPTIONS, memory: MEMORY / 2, unique: true };
    kill(options, 'sort', 2);
    kill({ ...options, resume: true }, 'sort', 3);
    const report = await sort(input, path('out'), { ...options, resume: true });
    expect(report.partsResumed).toBeGreaterThanOrEqual(5);
    expect(readFileSync(path('out'))).toEqual(
      Buffer.from(Uint32Array.from({ length: 7 }, (_, i) => i).buffer),
    );
    expect(names()).toEqual(['in', 'out']);
  });

  it('is resumed if parts stayed in the input', async () => {
    const numbers = Uint32Array.from({ length: LENGTH }, (_, i) => LENGTH - i);
    const input = write('in', numbers);
    kill(OPTIONS, 'sort', 3);
    const report = await sort(input, path('out'), { ...OPTIONS, resume: true });
    expect(report.partsResumed).toBeGreaterThanOrEqual(3);
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.reverse().buffer))).toBe(true);
  });

  it('is done anew by child processes if parts stayed in the input', async () => {
    const numbers = Uint32Array.from({ length: LENGTH }, (_, i) => LENGTH - i);
    const input = write('in', numbers);
    kill(OPTIONS, 'sort', 3);
    // With room for the parts that were left.
    const options = { ...OPTIONS, memory: 8 * OPTIONS.memory, processes: 2, resume: true };
    let partsResumed: number | undefined;
    const onReport = (report: FileReport): void => {
      partsResumed = report.partsResumed;
    };
    await sortFile(input, path('out'), { ...options, onReport });
    expect(partsResumed).toBe(0);
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.reverse().buffer))).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });

  it('leaves files that the next sort there removes', async () => {
    const { input, sorted } = numbersFile('in');
    kill(OPTIONS, 'partition', 2);
    expect(names()).toHaveLength(3);
    // What is not whole is not gone on with.
    const report = await sort(input, path('out'), { ...OPTIONS, resume: true });
    expect(report.partsResumed).toBe(0);
    kill(OPTIONS, 'sort', 2);
    expect(names()).toHaveLength(4);
    await sort(input, path('out'), OPTIONS);
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });

  it('is not resumed if the input or the order is another', async () => {
    const { input, sorted } = numbersFile('in');
    const resume = { ...OPTIONS, resume: true };
    kill(OPTIONS, 'sort', 2);
    const other = await sort(input, path('out'), { ...resume, order: 'descending' });
    expect(other.partsResumed).toBe(0);
    kill(OPTIONS, 'sort', 2);
    utimesSync(input, 1, 1);
    expect((await sort(input, path('out'), resume)).partsResumed).toBe(0);
    kill(OPTIONS, 'sort', 2);
    // Its parts are too large for less memory.
    const less = await sort(input, path('out'), { ...resume, memory: 100_000 });
    expect(less.partsResumed).toBe(0);
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });
});
