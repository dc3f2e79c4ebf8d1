/** What another user of the machine can do where he may write: nothing to files of this user. */

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { sortFile } from '../dist/index.js';
import { removeLeftovers } from '../dist/storage.js';
import { asNobody, canPlay, giveAway, leftName, NOBODY, WHY } from './other-user.js';
import { scratch } from './scratch.js';

drawTests(1 / 2);

const { path, names, write, numbersFile, kill, sort } = scratch();

const OPTIONS = { type: 'u32', memory: 200_000 } as const;
/** A folder that everybody may write to, with the sticky bit or without. */
function shared(name: string, mode: number): string {
  mkdirSync(path(name));
  chmodSync(path(name), mode);
  return path(name);
}

/** A folder of only this user, with files that are named like a sort's. */
function victim(): string {
  mkdirSync(path('victim'), { mode: 0o700 });
  for (const folder of ['cached', 'cached-0', 'cached-1']) {
    mkdirSync(path(`victim/${folder}`));
    for (let i = 0; i < 40; i++) writeFileSync(path(`victim/${folder}/${i}`), 'precious');
  }
  for (const file of ['input', 'manifest.json', 'done.json', 'other']) {
    writeFileSync(path(`victim/${file}`), 'precious');
  }
  return path('victim');
}

const listed = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).sort() as string[];

function expectWhole(folder: string, before: readonly string[]): void {
  expect(listed(folder)).toEqual(before);
  for (const name of before) {
    const file = join(folder, name);
    if (lstatSync(file).isFile()) expect(readFileSync(file, 'utf8')).toBe('precious');
  }
}

beforeEach(() => {
  // The test's own folder would keep everybody out, whatever the modes within it.
  chmodSync(path(''), 0o711);
});

describe.skipIf(!canPlay)(`with another user (else skipped: ${WHY})`, () => {
  it('leaves what another user calls as an ended process would', async () => {
    const tmp = shared('tmp', 0o1777);
    const { input, sorted } = numbersFile('in');
    const [file, folder] = [leftName(tmp), leftName(tmp)];
    writeFileSync(file, 'his');
    mkdirSync(folder);
    writeFileSync(join(folder, 'input'), 'his');
    for (const name of [file, folder]) giveAway(name);
    const own = leftName(tmp);
    mkdirSync(own, { mode: 0o700 });
    await sort(input, path('out'), { ...OPTIONS, tmp });
    expect(readdirSync(tmp).sort()).toEqual([basename(file), basename(folder)].sort());
    expect(readdirSync(folder)).toEqual(['input']);
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
  });

  it('follows no link that takes the place of a folder while it tidies', async () => {
    const tmp = shared('tmp', 0o1777);
    const target = victim();
    for (let i = 0; i < 200; i++) writeFileSync(join(target, `k${i}`), 'precious');
    const before = listed(target);
    const input = write('in', new Uint32Array(10));
    const folders = Array.from({ length: 20 }, () => leftName(tmp));
    const program = fileURLToPath(new URL('exchange.mjs', import.meta.url));
    const attacker = fork(program, [JSON.stringify({ folders, target, uid: NOBODY })]);
    try {
      await once(attacker, 'message');
      await sort(input, path('out'), { ...OPTIONS, tmp });
      // As each sort does; the attack takes some tries.
      for (let i = 0; i < 200; i++) {
        await removeLeftovers(tmp);
        await sleep(5);
      }
      expectWhole(target, before);
    } finally {
      const ended = once(attacker, 'exit');
      attacker.kill('SIGKILL');
      await ended;
    }
  });

  it('leaves a folder of its own that another user has called so', async () => {
    const tmp = shared('tmp', 0o777);
    const target = leftName(tmp);
    mkdirSync(join(tmp, 'work'), { mode: 0o700 });
    writeFileSync(join(tmp, 'work/precious'), 'precious');
    asNobody(`fs.renameSync('${join(tmp, 'work')}', '${target}')`);
    const { input } = numbersFile('in');
    await sort(input, path('out'), { ...OPTIONS, tmp });
    expect(listed(target)).toEqual(['precious']);
  });

  it.each(['partition', 'sort'] as const)(
    'keeps to its folder where another takes the name at %s',
    async (at) => {
      const tmp = shared('tmp', 0o777);
      const target = victim();
      const before = listed(target);
      const { input, sorted } = numbersFile('in');
      let isDone = false;
      const onProgress = ({ phase }: { phase: string }): void => {
        if (phase !== at || isDone) return;
        isDone = true;
        const [name] = readdirSync(tmp);
        const folder = join(tmp, name as string);
        asNobody(
          `fs.renameSync('${folder}', '${tmp}/away'); fs.symlinkSync('${target}', '${folder}')`,
        );
      };
      await sort(input, path('out'), { ...OPTIONS, tmp, onProgress });
      expectWhole(target, before);
      expect(readFileSync(path('out')).equals(sorted)).toBe(true);
      expect(listed(join(tmp, 'away'))).toEqual([]);
    },
  );

  it('keeps to its folder with child processes, too', async () => {
    const tmp = shared('tmp', 0o777);
    const target = victim();
    const before = listed(target);
    const { input, sorted } = numbersFile('in');
    let isDone = false;
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase !== 'sort' || isDone) return;
      isDone = true;
      const [name] = readdirSync(tmp);
      const folder = join(tmp, name as string);
      asNobody(
        `fs.renameSync('${folder}', '${tmp}/away'); fs.symlinkSync('${target}', '${folder}')`,
      );
    };
    const options = { ...OPTIONS, memory: 400_000, processes: 2, tmp, onProgress };
    await sortFile(input, path('out'), options);
    expectWhole(target, before);
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
  });

  it('changes no file that takes the name of its output', async () => {
    const folder = shared('shared', 0o777);
    writeFileSync(path('secret'), 'precious', { mode: 0o600 });
    writeFileSync(join(folder, 'out'), 'before');
    giveAway(join(folder, 'out'));
    chmodSync(join(folder, 'out'), 0o666);
    const { input } = numbersFile('in');
    let isDone = false;
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase !== 'sort' || isDone) return;
      isDone = true;
      const name = readdirSync(folder).find(
        (one) => lstatSync(join(folder, one)).isFile() && one.startsWith('.keysweep-'),
      ) as string;
      const file = join(folder, name);
      asNobody(
        `fs.renameSync('${file}', '${folder}/away');
         fs.symlinkSync('${path('secret')}', '${file}');`,
      );
    };
    const call = sort(input, join(folder, 'out'), { ...OPTIONS, onProgress });
    await expect(call).rejects.toThrow(
      /^cannot write '.*out': .* was removed or replaced meanwhile$/,
    );
    const { uid, mode } = statSync(path('secret'));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o600 });
    expect(readFileSync(path('secret'), 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('before');
  });

  it('does not go on with a manifest that another user has planted', async () => {
    const { input, sorted } = numbersFile('in');
    writeFileSync(path('secret'), 'precious');
    const tmp = shared('tmp', 0o1777);
    kill({ ...OPTIONS, tmp });
    const [name] = readdirSync(tmp);
    const folder = join(tmp, name as string);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const planted = leftName(tmp);
    cpSync(folder, planted, { recursive: true });
    const { temporary } = manifest;
    manifest.temporary =
      typeof temporary === 'string' ? path('secret') : { ...temporary, name: '../secret' };
    for (const part of manifest.parts) part.paths = ['../../secret'];
    writeFileSync(join(planted, 'manifest.json'), JSON.stringify(manifest));
    giveAway(planted);
    // His is found first, where it is found.
    renameSync(folder, path('elsewhere'));
    const report = await sort(input, path('out'), { ...OPTIONS, tmp, resume: true });
    expect(report.partsResumed).toBe(0);
    expect(readFileSync(path('secret'), 'utf8')).toBe('precious');
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
    expect(readdirSync(tmp)).toEqual([basename(planted)]);
  });

  it('writes through no link of another user in a sticky folder', async () => {
    const folder = shared('shared', 0o1777);
    writeFileSync(path('secret'), 'precious');
    for (const [name, target] of [
      ['link', path('secret')],
      ['dangling', path('new')],
    ] as const) {
      const link = join(folder, name);
      symlinkSync(target, link);
      lchownSync(link, NOBODY, NOBODY);
      const { input } = numbersFile('in');
      const call = sort(input, link, OPTIONS);
      await expect(call).rejects.toThrow(
        /^cannot write '.*': (it is a link of user 65534|.*EACCES)/,
      );
    }
    expect(readFileSync(path('secret'), 'utf8')).toBe('precious');
    expect(names()).toEqual(['in', 'secret', 'shared']);
  });
  it.each([
    ['a file', (name: string) => writeFileSync(name, 'his')],
    ['a pipe', (name: string) => void spawnSync('mkfifo', [name])],
  ])('gives nothing to %s of another user in a sticky folder', async (_, make) => {
    const folder = shared('shared', 0o1777);
    const file = join(folder, 'out');
    make(file);
    lchownSync(file, NOBODY, NOBODY);
    chmodSync(file, 0o666);
    const before = lstatSync(file);
    const { input } = numbersFile('in');
    const call = sort(input, file, OPTIONS);
    await expect(call).rejects.toThrow(/^cannot write '.*': it belongs to user 65534, in a folder/);
    expect(lstatSync(file)).toEqual(before);
    // In his own folder he may have what he wants.
    lchownSync(folder, NOBODY, NOBODY);
    if (before.isFile()) await sort(input, file, OPTIONS);
  });

  it('takes on no right to run as a user that another user has set', async () => {
    const folder = shared('shared', 0o777);
    const { input } = numbersFile('in');
    for (const [name, user, mode] of [
      ['his', NOBODY, '755'],
      ['own', 0, '6755'],
    ] as const) {
      writeFileSync(join(folder, name), '');
      lchownSync(join(folder, name), user, user);
      chmodSync(join(folder, name), 0o6755);
      await sort(input, join(folder, name), OPTIONS);
      expect((statSync(join(folder, name)).mode & 0o7777).toString(8)).toBe(mode);
    }
  });

  it.each([
    ['keeps the group that its user is in', [54_321], 54_321, '640'],
    ['gives the rights of a group to no other', [], NOBODY, '600'],
  ])('an output %s', (_, groups, gid, mode) => {
    const folder = shared('shared', 0o777);
    const out = join(folder, 'out');
    writeFileSync(out, 'before');
    lchownSync(out, NOBODY, 54_321);
    chmodSync(out, 0o640);
    // All is loaded while the user may still read it.
    const { href } = new URL('../dist/storage.js', import.meta.url);
    const program = `
      import { Target, temporaryIn } from '${href}';
      process.setgroups(${JSON.stringify(groups)});
      process.setgid(${NOBODY});
      process.setuid(${NOBODY});
      const target = new Target('${out}');
      const temporary = temporaryIn(target.folder);
      await target.create(temporary);
      await target.commit(temporary);`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
    expect(`${stderr}`).toBe('');
    const found = statSync(out);
    expect({ ...found, mode: (found.mode & 0o7777).toString(8) }).toMatchObject({
      ...{ size: 0, uid: NOBODY, gid, mode },
    });
  });

  it('ends well if a folder of another user has taken the name of its own', async () => {
    const tmp = shared('tmp', 0o777);
    const { input, sorted } = numbersFile('in');
    let isDone = false;
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase !== 'sort' || isDone) return;
      isDone = true;
      const folder = join(tmp, readdirSync(tmp)[0] as string);
      asNobody(
        `fs.renameSync('${folder}', '${tmp}/away'); fs.mkdirSync('${folder}');
         fs.writeFileSync('${folder}/his', '');`,
      );
    };
    await sort(input, path('out'), { ...OPTIONS, tmp, onProgress });
    expect(readFileSync(path('out')).equals(sorted)).toBe(true);
    expect(listed(join(tmp, 'away'))).toEqual([]);
  });
});

it('sorts in no folder that cannot be private, and holds no descriptor after a sort', async ({
  skip,
}) => {
  skip(process.geteuid === undefined, 'Windows has no users by number');
  const { input, sorted } = numbersFile('in');
  const descriptors = (): number =>
    process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  await sort(input, path('out'), OPTIONS);
  const before = descriptors();
  // As on a file system that gives all of its files to one user.
  const user = vi.spyOn(process, 'geteuid').mockReturnValue(54_321);
  try {
    const call = sort(input, path('out'), { ...OPTIONS, tmp: path('') });
    await expect(call).rejects.toThrow(/^cannot make the private folder '.*': others could change/);
  } finally {
    user.mockRestore();
  }
  await expect(sort(input, path('in/out'), OPTIONS)).rejects.toThrow(/ENOTDIR/);
  for (let i = 0; i < 3; i++) await sort(input, path('out'), { ...OPTIONS, resume: true });
  expect(readFileSync(path('out')).equals(sorted)).toBe(true);
  expect(descriptors()).toBe(before);
  expect(names()).toEqual(['in', 'out']);
});

describe('temporary files', () => {
  it('can be read by their user alone until the output is whole', async () => {
    const { input } = numbersFile('in');
    writeFileSync(path('plain'), '');
    const modes = new Set<string>();
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase !== 'sort') return;
      for (const name of names().filter((one) => one.startsWith('.keysweep-'))) {
        modes.add((statSync(path(name)).mode & 0o077).toString(8));
      }
    };
    await sort(input, path('out'), { ...OPTIONS, onProgress });
    if (process.platform !== 'win32') expect([...modes]).toEqual(['0']);
    expect(statSync(path('out')).mode).toBe(statSync(path('plain')).mode);
    expect(names()).toEqual(['in', 'out', 'plain']);
  });

  it('of ended processes are removed, whatever mode the output was to have', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no modes');
    const left = leftName(path(''));
    writeFileSync(left, 'half');
    chmodSync(left, 0o666);
    await removeLeftovers(path(''));
    expect(names()).toEqual([]);
  });

  it('of ended processes: a link is not followed, and a strange name stays', async () => {
    const target = victim();
    const before = listed(target);
    const [link, folder] = [leftName(path('')), leftName(path(''))];
    symlinkSync(target, link);
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(target, join(folder, 'cached'));
    writeFileSync(join(folder, 'manifest.json'), '');
    writeFileSync(join(folder, 'mine'), '');
    const { input } = numbersFile('in');
    await sort(input, path('out'), OPTIONS);
    expectWhole(target, before);
    expect(readdirSync(folder).sort()).toEqual(['cached', 'mine']);
  });
});
