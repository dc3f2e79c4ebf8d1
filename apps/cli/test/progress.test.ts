import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isThorough } from '@keysweep/conformance/data';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress, drawStep, type Step } from '../src/text/progress.js';
import { scratch, shell } from './command.js';

const path = scratch();

const ERASE = '\r\u001b[K';
const READING: Step = { doing: 'reading', completed: 45_200_000, total: 1e8, unit: 'bytes' };

describe('drawStep', () => {
  it('shows the share, and the amount of bytes', () => {
    expect(drawStep(READING, 80)).toBe(
      'reading   [==============                ]   45%  45.2 MB of 100 MB',
    );
    expect(drawStep({ ...READING, doing: 'sorting', unit: 'steps' }, 80)).toBe(
      'sorting   [==============                ]   45%',
    );
  });

  it('shows the amount alone when the total is not known', () => {
    expect(drawStep({ ...READING, total: undefined }, 80)).toBe('reading   45.2 MB');
  });

  it('fits into the line', () => {
    expect(drawStep(READING, 20)).toHaveLength(20);
  });
});

describe('createProgress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function record(isTTY: boolean): { progress: ReturnType<typeof createProgress>; text: string[] } {
    const text: string[] = [];
    return { progress: createProgress({ isTTY, write: (part) => text.push(part) }), text };
  }

  it('is silent for a second', () => {
    const { progress, text } = record(true);
    progress.update(READING);
    vi.advanceTimersByTime(950);
    progress.clear();
    expect(text).toEqual([]);
  });

  it('draws one line after that, and removes it', () => {
    const { progress, text } = record(true);
    progress.update(READING);
    vi.advanceTimersByTime(1050);
    progress.clear();
    vi.advanceTimersByTime(5000);
    expect(text).toEqual([ERASE + drawStep(READING, 79), ERASE]);
  });

  it('draws ten times a second at most', () => {
    const { progress, text } = record(true);
    for (let i = 0; i < 3000; i++) {
      progress.update({ ...READING, completed: i });
      vi.advanceTimersByTime(1);
    }
    progress.clear();
    expect(text.length).toBeGreaterThan(10);
    expect(text.length).toBeLessThanOrEqual(22);
  });

  it('is silent if there is no terminal', () => {
    const { progress, text } = record(false);
    progress.update(READING);
    vi.advanceTimersByTime(5000);
    progress.update(READING);
    progress.clear();
    expect(text).toEqual([]);
  });
});

describe('the command', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0;
  const SLOWLY = '(printf cb; sleep 1.5; printf a) | $KEYSWEEP sort -t u8 -o out';

  it('shows a line on a terminal and clears it', async ({ skip }) => {
    skip(!hasScript, 'there is no `script` here to make a terminal');
    // The input ends when the terminal's record has the line, or after half a minute.
    const line = 'for i in {1..300}; do grep -qs reading record && break; sleep 0.1; done';
    writeFileSync(path('slowly'), `(printf cb; ${line}; printf a) | $KEYSWEEP sort -t u8 -o out`);
    const { code, stdout } = await shell('script -qfec "bash slowly" record', path(''));
    expect(code).toBe(0);
    expect(stdout.toString().replaceAll(ERASE, '|')).toMatch(/^\|reading {3}2 B(\|.*)*\|$/);
  });

  const thorough = isThorough ? it : () => {};
  thorough('shows nothing elsewhere', async () => {
    expect(await shell(SLOWLY, path(''))).toMatchObject({ code: 0, stderr: '' });
  });
});
