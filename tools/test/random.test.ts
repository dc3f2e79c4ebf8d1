/** Tests draw the same when they are tried again, or run on their own. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, TestRunner, vi } from 'vitest';
import { testRandom } from './random.js';

afterEach(() => void vi.restoreAllMocks());

describe('the random numbers of a file', () => {
  const one = { fullTestName: 'one', result: { retryCount: 0 } };
  const other = { fullTestName: 'other', result: { retryCount: 0 } };

  /** Two numbers that `test` draws when it has been retried `retryCount` times. */
  function drawnBy(test: typeof one | undefined, retryCount = 0, random = testRandom()): number[] {
    if (test !== undefined) test.result.retryCount = retryCount;
    vi.spyOn(TestRunner, 'getCurrentTest').mockReturnValue(test as never);
    return [random.bits(), ...random.fill(new Uint32Array(1))];
  }

  it('go on within a test, and begin anew if it is tried again', () => {
    const random = testRandom();
    const first = drawnBy(one, 0, random);
    expect(drawnBy(one, 0, random)).not.toEqual(first);
    expect(drawnBy(one, 1, random)).toEqual(first);
    expect(drawnBy(one, 1, random)).not.toEqual(first);
  });

  it('do not depend on tests before, and are others for each test', () => {
    const random = testRandom();
    const drawn = drawnBy(one, 0, random);
    expect(drawnBy(other, 0, random)).toEqual(drawnBy(other));
    expect(drawnBy(other)).not.toEqual(drawn);
  });

  it('go on outside of tests, whatever tests draw', () => {
    const [random, alone] = [testRandom(), testRandom()];
    expect(drawnBy(undefined, 0, random)).toEqual(drawnBy(undefined, 0, alone));
    drawnBy(one, 0, random);
    expect(drawnBy(undefined, 0, random)).toEqual(drawnBy(undefined, 0, alone));
  });
});

it('no test file has another generator for several tests', () => {
  const ownForFile = /^(export )?const \w+.* = new Random\([^)]*(\(\))?\);$/m;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folders = ['packages', 'apps', 'examples'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(root, kind, name, 'test')),
  );
  const files = [...folders, join(root, 'kernels/test'), join(root, 'tools/test')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => ownForFile.test(readFileSync(file, 'utf8')))).toEqual([]);
});
