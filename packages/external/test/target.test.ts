/** An output and its temporary file: which one ends there, with which rights, and what stays. */

import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HeldFolder } from '../src/storage/held.js';
import { namesHere, removeTemporaries, temporaryAt } from '../src/storage/live.js';
import { isPartPath } from '../src/storage/names.js';
import {
  adoptPrivateFolder,
  makePrivateFolder,
  NotPrivate,
  removeFolder,
} from '../src/storage/private-folder.js';
import { openTarget, Target } from '../src/storage/target.js';
import { temporaryIn } from '../src/storage/temporary.js';
import { scratch } from './scratch.js';

const { path } = scratch();

const descriptors = (): number => readdirSync('/proc/self/fd').length;
const isLinux = process.platform === 'linux';

/** Makes `out` anew with `text`, as a sort does. */
async function replace(text: string, name = 'out'): Promise<void> {
  const target = await openTarget(path(name));
  const temporary = temporaryIn(target.folder);
  writeSync(target.createNow(temporary), text);
  await target.commit(temporary);
  await target.close();
}

const modeOf = (name: string): string => (statSync(path(name)).mode & 0o7777).toString(8);

describe('an output', () => {
  it('is new when it is whole, and nothing else is left', async () => {
    const before = isLinux ? descriptors() : 0;
    writeFileSync(path('out'), 'old');
    const target = await openTarget(path('out'));
    expect([target.path, target.folder]).toEqual([
      ...[`${realpathSync(path('.'))}/out`, realpathSync(path('.'))],
    ]);
    const temporary = temporaryIn(target.folder);
    writeSync(target.createNow(temporary), 'new');
    expect(readFileSync(path('out'), 'utf8')).toBe('old');
    expect(statSync(temporary).mode & 0o777).toBe(0o600);
    expect(temporaryAt(temporary)).toBeDefined();
    await target.commit(temporary);
    expect(temporaryAt(temporary)).toBeUndefined();
    // It is the output now, and no longer to be given up.
    await target.remove(temporary);
    await target.close();
    expect(readFileSync(path('out'), 'utf8')).toBe('new');
    expect(readdirSync(path('.'))).toEqual(['out']);
    if (isLinux) expect(descriptors()).toBe(before);
  });

  it('is as it was when it is given up', async () => {
    const before = isLinux ? descriptors() : 0;
    writeFileSync(path('out'), 'old');
    const target = await openTarget(path('out'));
    const temporary = temporaryIn(target.folder);
    await target.create(temporary);
    await target.remove(temporary);
    await target.remove(temporary);
    await target.close();
    expect([readFileSync(path('out'), 'utf8'), readdirSync(path('.'))]).toEqual(['old', ['out']]);
    expect(temporaryAt(temporary)).toBeUndefined();
    const gone = await openTarget(path('out'));
    await gone.create(temporary);
    unlinkSync(temporary);
    await gone.remove(temporary);
    await gone.create(temporary);
    removeTemporaries();
    expect(readdirSync(path('.'))).toEqual(['out']);
    await gone.remove(temporary);
    await gone.close();
    if (isLinux) expect(descriptors()).toBe(before);
  });

  it('has the mode of the one that it replaces, or the usual one', async () => {
    await replace('new');
    expect(modeOf('out')).toBe((0o666 & ~process.umask()).toString(8));
    for (const mode of [0o600, 0o640, 0o755, 0o4755, 0o2750]) {
      writeFileSync(path('out'), '');
      chmodSync(path('out'), mode);
      await replace('new');
      expect(modeOf('out')).toBe(mode.toString(8));
    }
  });

  it('may be reached by links, which stay', async () => {
    mkdirSync(path('deep'));
    writeFileSync(path('deep/file'), 'old');
    symlinkSync('deep/file', path('relative'));
    symlinkSync(path('relative'), path('absolute'));
    symlinkSync('none', path('dangling'));
    await replace('new', 'absolute');
    expect(readFileSync(path('deep/file'), 'utf8')).toBe('new');
    expect(lstatSync(path('absolute')).isSymbolicLink()).toBe(true);
    await replace('made', 'dangling');
    expect(readFileSync(path('none'), 'utf8')).toBe('made');
    symlinkSync('loop', path('loop'));
    expect(() => new Target(path('loop'))).toThrow(/ELOOP/);
  });

  it('must be a file, without other links, that can be written', async () => {
    const before = isLinux ? descriptors() : 0;
    mkdirSync(path('folder'));
    await expect(openTarget(path('folder'))).rejects.toThrow('it is a directory');
    await expect(openTarget('/dev/null')).rejects.toThrow(
      'it is no regular file; give it as a sink',
    );
    writeFileSync(path('one'), '');
    linkSync(path('one'), path('two'));
    linkSync(path('one'), path('three'));
    await expect(openTarget(path('one'))).rejects.toThrow('it has 3 hard links');
    await expect(openTarget(path('none/out'))).rejects.toThrow(/ENOENT/);
    for (const name of ['new/', 'one/']) {
      await expect((async () => openTarget(path(name)))()).rejects.toThrow();
    }
    expect(() => new Target(`${path('new')}/`)).toThrow("a name that ends with '/' is a folder's");
    if (isLinux) expect(descriptors()).toBe(before);
  });

  it('does not take a temporary file that is not its own', async () => {
    const target = await openTarget(path('out'));
    const temporary = temporaryIn(target.folder);
    await target.create(temporary);
    renameSync(temporary, path('moved'));
    writeFileSync(temporary, 'planted');
    await expect(target.commit(temporary)).rejects.toThrow('was removed or replaced meanwhile');
    unlinkSync(temporary);
    await expect(target.commit(temporary)).rejects.toThrow('was removed or replaced meanwhile');
    expect(() => readFileSync(path('out'))).toThrow(/ENOENT/);
    writeFileSync(temporaryIn(target.folder), '');
    const taken = temporaryIn(target.folder);
    writeFileSync(taken, '');
    expect(() => target.createNow(taken)).toThrow(/EEXIST/);
    expect(temporaryAt(taken)).toBeUndefined();
    await target.remove(temporary);
    await target.close();
  });

  it('goes on with the file that an ended process left, if it is the same one', async () => {
    const other = await openTarget(path('other'));
    const temporary = temporaryIn(other.folder);
    writeSync(other.createNow(temporary), 'some bytes');
    const own = other.identityOf(temporary);
    expect(own).toMatch(/^\d+-\d+$/);
    const target = await openTarget(path('out'));
    const next = temporaryIn(target.folder);
    // One that is being written is not left.
    expect(target.adopt(basename(temporary), own, 0, next)).toBe(false);
    expect(temporaryAt(next)).toBeUndefined();
    await other.remove(temporary);
    // No system gives a process so high a number.
    const left = basename(temporary).replace(`${process.pid}-`, '99999999-');
    const make = (mode: number): string => {
      writeFileSync(path(left), 'some bytes', { mode });
      chmodSync(path(left), mode);
      const { dev, ino } = statSync(path(left));
      return `${dev}-${ino}`;
    };
    const identity = make(0o600);
    const isTaken = (bytes: number, of = identity, name = left): boolean =>
      target.adopt(name, of, bytes, next);
    expect(isTaken(11)).toBe(false);
    expect(isTaken(10, `${identity}1`)).toBe(false);
    expect(isTaken(0, identity, 'out')).toBe(false);
    chmodSync(path(left), 0o622);
    expect(isTaken(10)).toBe(false);
    chmodSync(path(left), 0o600);
    linkSync(path(left), path('link'));
    expect(isTaken(10)).toBe(false);
    unlinkSync(path('link'));
    expect(isTaken(10)).toBe(true);
    // It is not there any more.
    expect(target.adopt(left, identity, 10, temporaryIn(target.folder))).toBe(false);
    await target.remove(next);
    for (const one of [other, target]) await one.close();
  });
});

describe('a private folder', () => {
  it('is for this user, and is removed with the files of a sort that are in it', async () => {
    const before = isLinux ? descriptors() : 0;
    const folder = temporaryIn(realpathSync(path('.')));
    await makePrivateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(namesHere().some(([name]) => name === folder)).toBe(true);
    mkdirSync(`${folder}/parts`);
    writeFileSync(`${folder}/parts/0`, 'x');
    await temporaryAt(folder)?.remove();
    expect(readdirSync(path('.'))).toEqual([]);
    expect(namesHere().some(([name]) => name === folder)).toBe(false);
    if (isLinux) expect(descriptors()).toBe(before);
  });

  it('is removed at once if the process ends, and keeps files that belong to no sort', async () => {
    const folder = temporaryIn(realpathSync(path('.')));
    await makePrivateFolder(folder);
    mkdirSync(`${folder}/parts`);
    writeFileSync(`${folder}/parts/1`, 'x');
    writeFileSync(`${folder}/letter`, 'mine');
    temporaryAt(folder)?.removeNow();
    expect(readdirSync(folder)).toEqual(['letter']);
    await expect(temporaryAt(folder)?.remove()).rejects.toThrow(/ENOTEMPTY/);
    unlinkSync(`${folder}/letter`);
    expect(temporaryAt(folder)).toBeUndefined();
    const gone = temporaryIn(realpathSync(path('.')));
    await makePrivateFolder(gone);
    temporaryAt(gone)?.removeNow();
    expect(readdirSync(path('.')).length).toBe(1);
    await temporaryAt(gone)?.remove();
  });

  it('leaves alone what another has given its name', async () => {
    const folder = temporaryIn(realpathSync(path('.')));
    await makePrivateFolder(folder);
    renameSync(folder, path('moved'));
    writeFileSync(folder, 'theirs');
    await temporaryAt(folder)?.remove();
    expect(readFileSync(folder, 'utf8')).toBe('theirs');
    expect(temporaryAt(folder)).toBeUndefined();
  });

  it('is not made if something is there, or if it cannot be kept private', async () => {
    const taken = temporaryIn(realpathSync(path('.')));
    mkdirSync(taken);
    await expect(makePrivateFolder(taken)).rejects.toThrow(/EEXIST/);
    expect(temporaryAt(taken)).toBeUndefined();
    const held = new HeldFolder(path('.'));
    mkdirSync(path('theirs'));
    chmodSync(path('theirs'), 0o777);
    const own = temporaryIn(realpathSync(path('.')));
    expect(() => adoptPrivateFolder(held, 'theirs', own)).toThrow(NotPrivate);
    mkdirSync(path('mine'), { mode: 0o700 });
    adoptPrivateFolder(held, 'mine', own);
    expect(statSync(own).isDirectory()).toBe(true);
    await temporaryAt(own)?.remove();
    mkdirSync(path('left'), { mode: 0o700 });
    mkdirSync(path('left/parts'));
    writeFileSync(path('left/parts/7'), 'x');
    await removeFolder(held, 'left');
    expect(readdirSync(path('.')).includes('left')).toBe(false);
    mkdirSync(path('open'));
    chmodSync(path('open'), 0o777);
    await removeFolder(held, 'open');
    expect(readdirSync(path('.')).includes('open')).toBe(true);
    held.close();
  });

  it('is told by the names of its parts', () => {
    for (const name of ['parts/0', 'cached/12', 'parts-3/1', 'parts-part-3-1/0', 'parts\\4']) {
      expect([name, isPartPath(name)]).toEqual([name, true]);
    }
    for (const name of ['parts/x', 'parts/1/2', 'part/1', 'parts-/1', '/parts/1', 'parts', '']) {
      expect([name, isPartPath(name)]).toEqual([name, false]);
    }
  });
});
