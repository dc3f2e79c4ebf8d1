/** Files of this machine, where others do the same at once, or have put no files. */

import { spawnSync } from 'node:child_process';
import fs, {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { checkFile } from '../dist/index.js';
import { isLeft, temporaryIn } from '../dist/storage/temporary.js';
import { localStorage } from '../dist/storage.js';
import { scratch } from './scratch.js';

const { path } = scratch();

it('a folder may be removed by several at once', async () => {
  for (let round = 0; round < 20; round++) {
    const folder = path(`folder-${round}`);
    for (const inside of ['', 'a', 'b']) mkdirSync(join(folder, inside));
    for (let i = 0; i < 30; i++) {
      for (const inside of ['', 'a', 'b']) writeFileSync(join(folder, inside, `${i}.bin`), '');
    }
    const removals = Array.from({ length: 4 }, () => localStorage.remove(folder));
    // Each of them has it gone, or is told why that cannot be.
    expect((await Promise.allSettled(removals)).map(({ status }) => status)).toEqual(
      Array(4).fill('fulfilled'),
    );
    expect(existsSync(folder)).toBe(false);
  }
});

it('records of any width are checked whole, a stretch at a time', async () => {
  for (const [width, count] of [
    [1, 9000],
    [3, 9000],
    [10, 12_000],
    [1000, 300],
  ] as const) {
    const bytes = Buffer.alloc(count * width);
    // Each number twice, or as often as a byte has to hold them.
    for (let i = 0; i < count; i++) {
      const number = width === 1 ? Math.floor((255 * i) / count) : i >> 1;
      bytes.writeUIntBE(number, i * width, Math.min(width, 3));
    }
    const repeats = width === 1 ? count - 255 : count / 2;
    const expected = { records: count, misplaced: -1, repeats };
    writeFileSync(path('in'), bytes);
    expect(await checkFile(path('in'), { record: { bytes: width } })).toMatchObject(expected);
  }
});

it('a file that cannot be removed is an error, and a missing one is none', async ({ skip }) => {
  await localStorage.remove(path('none'));
  // Nobody may remove these.
  skip(!existsSync('/proc/self/fdinfo'), 'this system has no such files');
  await expect(localStorage.remove('/proc/self/fdinfo')).rejects.toThrow(
    /^cannot remove '\/proc\/self\/fdinfo': /,
  );
  await expect(localStorage.remove('/proc/self/status')).rejects.toThrow(/^cannot remove/);
});

it('a pipe that nobody writes to is no file, and is not waited for', async ({ skip }) => {
  const pipe = path('pipe');
  if (spawnSync('mkfifo', [pipe]).status !== 0) skip('this system has no mkfifo');
  // A thread that waits for a writer would keep this process from its end.
  let isReleased = false;
  const release = setTimeout(() => {
    isReleased = true;
    openSync(pipe, constants.O_RDWR);
  }, 20_000);
  await expect(checkFile(pipe, { type: 'u8' })).rejects.toThrow(/is no regular file/);
  clearTimeout(release);
  expect(isReleased).toBe(false);
}, 60_000);

it('a file that is shorter than the part to be kept is not written', async () => {
  writeFileSync(path('part'), 'four');
  await expect(localStorage.write(path('part'), 5)).rejects.toThrow(/it has fewer than 5 bytes/);
  expect(readFileSync(path('part'), 'utf8')).toBe('four');
  const file = await localStorage.write(path('part'), 2);
  await file.write(Buffer.from('am'));
  await file.close();
  expect(readFileSync(path('part'), 'utf8')).toBe('foam');
});

it('an output is on the device before it has its name', async () => {
  writeFileSync(path('out'), 'before');
  const output = await localStorage.output(path('out'));
  const temporary = join(output.folder, '.keysweep-1-2-0123abcd.tmp');
  await output.create(temporary, 3);
  const file = await localStorage.write(temporary, 0);
  await file.write(Buffer.from('now'));
  await file.close();
  const seen: string[] = [];
  const { fsync } = fs;
  fs.fsync = ((fd, done) => {
    seen.push(readFileSync(path('out'), 'utf8'));
    fsync(fd, done);
  }) as typeof fsync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fsync = fsync;
    syncBuiltinESMExports();
  });
  await output.commit(temporary);
  await output.close?.();
  expect(seen).toEqual(['before']);
  expect(readFileSync(path('out'), 'utf8')).toBe('now');
});

it('a folder is listed by what names begin with', async () => {
  mkdirSync(path('folder'));
  for (const name of ['a-1', 'a-2', '1-a', 'b']) writeFileSync(path(`folder/${name}`), '');
  expect([...(await localStorage.list(path('folder'), 'a-'))].sort()).toEqual(['a-1', 'a-2']);
  expect([...(await localStorage.list(path('folder')))].sort()).toEqual(['1-a', 'a-1', 'a-2', 'b']);
});

it('a temporary name is left over if it is of this system, and its process has ended', () => {
  const name = basename(temporaryIn(path('')));
  const kill = vi.spyOn(process, 'kill');
  onTestFinished(() => kill.mockRestore());
  expect(isLeft(name)).toBe(false);
  const fails = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  // It is alive, and another user's.
  kill.mockImplementation(fails('EPERM'));
  expect(isLeft(name)).toBe(false);
  kill.mockImplementation(fails('ESRCH'));
  expect(isLeft(name)).toBe(true);
  for (const other of [
    `${name}x`,
    `x${name}`,
    name.replace('.tmp', ''),
    name.replace(/-[0-9a-f]{8}\./, '-0123456.'),
    name.replace(/-[0-9a-f]{8}\./, '-0123456g.'),
    name.replace(/-\d+-/, '--'),
    name.replace(/keysweep-[0-9a-f]+/, 'keysweep-000000000000'),
  ]) {
    expect(isLeft(other), other).toBe(false);
  }
});
