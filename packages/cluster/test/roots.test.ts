/** Names that a worker's roots hold, and names that they do not. */

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../../external/test/scratch.js';
import { runWorker } from '../dist/index.js';
import { Roots } from '../dist/work/roots.js';

const { path } = scratch();

describe('names of objects', () => {
  it.each([
    ['s3://bucket/data', 's3://bucket/data/a', true],
    ['s3://bucket/data/', 's3://bucket/data/a/b', true],
    ['s3://bucket/data', 's3://bucket/data/a\\b', true],
    ['s3://bucket', 's3://bucket/a', true],
    ['s3://bucket/', 's3://bucket/a', true],
    ['s3://bucket/data', 's3://bucket/data', false],
    ['s3://bucket/data', 's3://bucket/data-more/a', false],
    ['s3://bucket/data', 's3://bucket/a', false],
    ['s3://bucket/data', 's3://bucket/data/../a', false],
    ['s3://bucket/data', 's3://bucket/data/..', false],
    ['s3://bucket/data', 's3://bucket/data/a\\..\\..\\b', false],
    ['s3://bucket/data', 's3://bucket/data/./a', false],
    ['s3://bucket/data', 's3://bucket/data//a', false],
    ['s3://bucket', 's3://bucket//etc/passwd', false],
    ['s3://bucket', 's3://bucket-more/a', false],
    ['s3://bucket', 's3:///bucket/a', false],
    ['s3://bucket', 'S3://bucket/a', false],
    ['s3://bucket', 's3://key@bucket/a', false],
    ['s3://bucket', 'http://bucket/a', false],
    ['s3://bucket', 'file:///etc/passwd', false],
    ['s3://bucket', 's3://bucket/a\nb', false],
    ['s3://bucket', '/etc/passwd', false],
    ['s3://bucket', 'bucket/a', false],
  ])('the root %j has %j: %j', async (root, name, isInside) => {
    const roots = await Roots.of([root]);
    for (const find of ['fileOf', 'entryOf'] as const) {
      if (isInside) expect(await roots[find](name)).toBe(name);
      else await expect(roots[find](name)).rejects.toThrow(/refused/);
    }
  });
});

describe('paths', () => {
  it('are followed through links, and made real', async () => {
    for (const name of ['root', 'root/in', 'other']) mkdirSync(path(name));
    writeFileSync(path('root/in/file'), '');
    symlinkSync('in', path('root/inner'));
    symlinkSync('../other', path('root/outer'));
    symlinkSync('..', path('root/up'));
    symlinkSync('loop', path('root/loop'));
    symlinkSync(path('root'), path('other/back'));
    const roots = await Roots.of([path('other/back')]);
    const isAt = async (name: string, real: string) =>
      expect(await roots.fileOf(path(name))).toBe(join(realpathSync(path('')), real));
    await isAt('root/in/file', 'root/in/file');
    await isAt('root/inner/file', 'root/in/file');
    await isAt('root/in/../new', 'root/new');
    await isAt('root/no/folder/new', 'root/no/folder/new');
    await isAt('other/back/inner/new', 'root/in/new');
    await isAt('root/outer/back/in/file', 'root/in/file');
    for (const name of ['root', 'root/.', 'root/outer/new', 'root/up/new', 'root/in/../../new']) {
      await expect(roots.fileOf(join(path(''), name)), name).rejects.toThrow(/outside of this/);
    }
    await expect(roots.fileOf(path('root/loop'))).rejects.toThrow(/ELOOP/);
    await expect(roots.fileOf(`${path('root')}/a\0b`)).rejects.toThrow(/absolute path/);
    // A link itself can be removed, but nothing that it leads to.
    expect(await roots.entryOf(path('root/outer'))).toBe(join(realpathSync(path('root')), 'outer'));
    await expect(roots.entryOf(path('root/outer/file'))).rejects.toThrow(/outside of this/);
  });
});

describe('a worker', () => {
  it.each<[unknown, RegExp]>([
    [undefined, /^roots must be a list of the folders/],
    [[], /^roots must be a list/],
    ['/shared', /^roots must be a list/],
    [[''], /^roots\[0\] must be a path/],
    [[1], /^roots\[0\] must be a path/],
    [['s3://bucket'], /^roots\[0\] must be a path or an address file:/],
    [['/not/there'], /^cannot use the root '\/not\/there': no such file or directory/],
    [[import.meta.filename], /^the root '.*' must be a folder$/],
  ])('with the roots %j is refused', async (roots, message) => {
    const working = runWorker('redis://127.0.0.1:1', { roots } as never);
    await expect(working).rejects.toThrow(message);
  });
});
