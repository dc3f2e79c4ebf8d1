/** What an ended process left is taken only if all of it is what such a process writes. */

import { chmodSync, linkSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HeldFolder } from '../src/storage/held.js';
import { temporaryIn } from '../src/storage/temporary.js';
import { jobOf, readManifest } from '../src/write/manifest.js';
import { scratch } from './scratch.js';

const { path } = scratch();

/** The name of a temporary file of a process that has ended: no system has so high a number. */
const LEFT = basename(temporaryIn('.')).replace(`${process.pid}-`, '99999999-');

/** Two parts of 40 bytes in all: 24 in two files and 8 that stayed, then 8. */
const PARTS = [
  { paths: ['parts/0', 'parts/1'], size: 32, stays: [{ behind: 8, from: 16, size: 8 }] },
  { paths: ['parts/2'], size: 8, stays: [] },
];
const MANIFEST = {
  ...{ job: 'job', temporary: { name: LEFT, identity: '1-2' }, parts: PARTS, levels: 1 },
  ...{ imbalance: 1.5, sample: { parts: 2, checksum: 'abc' } },
};
const DONE = { parts: 0, bytes: 0 };

/** Whether this is taken, by a sort of records of 4 bytes. */
function isTaken(
  manifest: unknown = MANIFEST,
  done: unknown = DONE,
  { job = 'job', size = 40, unique = false, change = () => {} } = {},
): boolean {
  mkdirSync(path('left/parts'), { recursive: true, mode: 0o700 });
  chmodSync(path('left'), 0o700);
  for (const [i, bytes] of [16, 8, 8].entries()) {
    writeFileSync(path(`left/parts/${i}`), new Uint8Array(bytes));
  }
  writeFileSync(path('left/manifest.json'), JSON.stringify(manifest));
  writeFileSync(path('left/done.json'), JSON.stringify(done));
  change();
  const folder = new HeldFolder(path('left'));
  try {
    return readManifest(folder, job, size, { layout: { width: 4 }, unique } as never) !== undefined;
  } finally {
    folder.close();
  }
}

const partOf = (changes: object) => ({
  ...MANIFEST,
  parts: [{ ...PARTS[0], ...changes }, PARTS[1]],
});
const stay = (changes: object) => partOf({ stays: [{ behind: 8, from: 16, size: 8, ...changes }] });

it('a job is the same one only with the same input, output, layout and repeats', () => {
  const layout = { width: 4, numbers: 'u32', keys: [] };
  const run = (more: object = {}): never => ({ layout, unique: false, ...more }) as never;
  const job = jobOf(run(), '/out', ['/a', '/b'], ['1', '2']);
  expect(jobOf(run(), '/out', ['/a', '/b'], ['1', '2'])).toBe(job);
  expect(jobOf(run(), '/out', ['/c/../a', '/b'], ['1', '2'])).toBe(job);
  const others = [
    ...[jobOf(run(), '/other', ['/a', '/b'], ['1', '2']), jobOf(run(), '/out', ['/a'], ['1', '2'])],
    ...[
      jobOf(run(), '/out', ['/b', '/a'], ['1', '2']),
      jobOf(run(), '/out', ['/a', '/b'], ['1', '3']),
    ],
    jobOf(run({ unique: true }), '/out', ['/a', '/b'], ['1', '2']),
    jobOf(run({ layout: { ...layout, numbers: 'i32' } }), '/out', ['/a', '/b'], ['1', '2']),
  ];
  expect(new Set([job, ...others]).size).toBe(7);
});

describe('a manifest', () => {
  it('is taken as it was written, for the same sort', () => {
    expect(isTaken()).toBe(true);
    expect(isTaken(MANIFEST, DONE, { job: 'other' })).toBe(false);
    expect(isTaken(MANIFEST, DONE, { size: 44 })).toBe(false);
    expect(isTaken(stay({ behind: 24 }))).toBe(true);
    expect(isTaken(stay({ from: 32 }))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no object', 5],
    ['null', null],
    ['of no job', { ...MANIFEST, job: 5 }],
    ['of no temporary file', { ...MANIFEST, temporary: null }],
    ['of a file elsewhere', { ...MANIFEST, temporary: { name: '../x', identity: '1-2' } }],
    ['of a file of nobody', { ...MANIFEST, temporary: { name: LEFT } }],
    ['of no sample', { ...MANIFEST, sample: 'abc' }],
    ['of a sample of one part', { ...MANIFEST, sample: { parts: 1, checksum: 'abc' } }],
    ['of too many parts', { ...MANIFEST, sample: { parts: 1e6, checksum: 'abc' } }],
    ['of no checksum', { ...MANIFEST, sample: { parts: 2 } }],
    ['of no level', { ...MANIFEST, levels: 0 }],
    ['of too many levels', { ...MANIFEST, levels: 65 }],
    ['of no imbalance', { ...MANIFEST, imbalance: null }],
    ['of no parts', { ...MANIFEST, parts: {} }],
    ['of fewer bytes', { ...MANIFEST, parts: [PARTS[0]] }],
    ['of a part that is none', { ...MANIFEST, parts: [null, ...PARTS] }],
    ['of a path elsewhere', partOf({ paths: ['../0', 'parts/1'] })],
    ['of a path that is none', partOf({ paths: [5] })],
    ['of paths that are none', partOf({ paths: 'parts/0' })],
    ['of a part that is no record', partOf({ size: 33 })],
    ['of a part below nothing', partOf({ size: -4 })],
    ['of a stay that is none', partOf({ stays: [null] })],
    ['of stays that are none', partOf({ stays: {} })],
    ['of a stay behind the files', stay({ behind: 28 })],
    ['of a stay that is no record', stay({ from: 17 })],
    ['of a stay beyond the input', stay({ from: 36 })],
    ['of a longer stay', stay({ size: 12 })],
    [
      'of stays that go back',
      partOf({
        stays: [
          { behind: 8, from: 0, size: 4 },
          { behind: 4, from: 4, size: 4 },
        ],
      }),
    ],
  ])('%s is not taken', (_, manifest) => {
    expect(isTaken(manifest)).toBe(false);
  });

  it('counts all that is written but repeats', () => {
    const is = (parts: unknown, bytes: unknown, unique = false) =>
      isTaken(MANIFEST, { parts, bytes }, { unique });
    expect([is(1, 32), is(2, 40), is(0, 0)]).toEqual([true, true, true]);
    expect([is(1, 28), is(1, 36), is(3, 40), is(-1, 0), is('1', 32)]).toEqual(Array(5).fill(false));
    expect([is(1, 28, true), is(1, 0, true), is(1, 36, true), is(1, 30, true)]).toEqual([
      ...[true, true, false, false],
    ]);
    expect([isTaken(MANIFEST, null), isTaken(MANIFEST, 5)]).toEqual([false, false]);
  });

  it("is this user's alone, and its files are whole", () => {
    const not = (change: () => void, done: object = DONE) => {
      const was = isTaken(MANIFEST, done, { change });
      for (const name of ['manifest.json', 'link', 'parts/0', 'parts/2']) {
        try {
          unlinkSync(path(`left/${name}`));
        } catch {
          // It is not there.
        }
      }
      return !was;
    };
    expect(not(() => chmodSync(path('left'), 0o770))).toBe(true);
    expect(not(() => chmodSync(path('left/manifest.json'), 0o666))).toBe(true);
    expect(not(() => linkSync(path('left/manifest.json'), path('left/link')))).toBe(true);
    expect(not(() => unlinkSync(path('left/done.json')))).toBe(true);
    expect(not(() => writeFileSync(path('left/parts/0'), new Uint8Array(15)))).toBe(true);
    const gone = () => unlinkSync(path('left/parts/2'));
    expect(not(gone)).toBe(true);
    // What is written is not looked for any more.
    expect(not(gone, { parts: 2, bytes: 40 })).toBe(false);
    const link = () => {
      unlinkSync(path('left/parts/2'));
      symlinkSync('1', path('left/parts/2'));
    };
    expect(not(link)).toBe(true);
  });
});
