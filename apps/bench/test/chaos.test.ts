/** A few rounds of chaos, and whether it sees what it is there to see. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThorough, runSeed, THOROUGH_ONLY } from '@keysweep/conformance/data';
import { expect, it, onTestFinished } from 'vitest';
import { drawRound } from '../src/chaos/draw.js';
import { assertTidy, makeFiles, stateOf } from '../src/chaos/files.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const seed = runSeed();

it(`sorts of files leave the old output or the new one (KEYSWEEP_SEED=${seed})`, ({ skip }) => {
  skip(!isThorough, THOROUGH_ONLY);
  const flags = ['--seed', `${seed}`, '--rounds', '60', '--minutes', '9', '--no-workers'];
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'chaos', ...flags], {
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/nothing wrong\n$/);
  expect(status).toBe(0);
});

it('an output that is cut off, and a file that is left, are seen', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-chaos-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const number of [0, 1, 2]) {
    const files = makeFiles(drawRound(seed, number, ['none']), join(folder, `${number}`));
    expect(stateOf(files)).toBe('old');
    writeFileSync(files.output, files.sorted);
    expect(stateOf(files)).toBe('new');
    assertTidy(files);
    writeFileSync(files.output, files.sorted.subarray(0, -1));
    expect(stateOf(files)).toBe('neither');
    writeFileSync(join(files.folder, '.keysweep-left.tmp'), '');
    expect(() => assertTidy(files)).toThrow('left in the folder: .keysweep-left.tmp');
  }
});
