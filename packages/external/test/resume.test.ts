/** What `resume` goes on with, and what it does not rely on. */

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { HeldFolder } from '../dist/storage/held.js';
import { localStorage, type Storage, type StoredFile } from '../dist/storage.js';
import { readManifest } from '../dist/write/manifest.js';
import { LENGTH, scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write, numbersFile, kill, sort } = scratch();

const OPTIONS = { type: 'u32', memory: 200_000 } as const;

/** A manifest, or the list of finished parts, as somebody may have changed it. */
interface Noted {
  parts: unknown;
  bytes: number;
  temporary?: { name: string; identity: string };
}

interface NotedPart {
  paths?: string[];
  size: number;
  stays: object[];
}

/** The folder that a killed sort has left. */
function left(): string {
  const isFolder = (name: string): boolean =>
    name.startsWith('.keysweep-') && statSync(path(name)).isDirectory();
  return path(names().find(isFolder) as string);
}

it('goes on if nothing has changed', async () => {
  const { input, sorted } = numbersFile('in');
  kill(OPTIONS);
  const { partsResumed } = await sort(input, path('out'), { ...OPTIONS, resume: true });
  expect(partsResumed).toBeGreaterThanOrEqual(3);
  expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
});

it('leaves out repeats of the last record written, and closes the files it reads', async () => {
  // Few different numbers: parts begin with what the one before ends with.
  const numbers = new Random(SEED).fill(new Uint32Array(LENGTH)).map((number) => number % 200);
  write('in', numbers);
  const options = { ...OPTIONS, unique: true };
  kill(options);
  const open = new Set<StoredFile>();
  const local = localStorage as { -readonly [Name in keyof Storage]: Storage[Name] };
  const { open: openFile } = local;
  onTestFinished(() => void Object.assign(local, { open: openFile }));
  local.open = async (name) => {
    const file = await openFile(name);
    const { close } = file;
    open.add(file);
    return Object.assign(file, { close: () => close().finally(() => open.delete(file)) });
  };
  const { partsResumed } = await sort(path('in'), path('out'), { ...options, resume: true });
  expect(partsResumed).toBeGreaterThanOrEqual(3);
  const expected = Uint32Array.from(new Set(numbers)).sort();
  const { buffer } = new Uint8Array(readFileSync(path('out')));
  expect(new Uint32Array(buffer), `seed ${SEED}`).toEqual(expected);
  expect(open.size).toBe(0);
});

describe('resume begins anew', () => {
  const anew = async (): Promise<void> => {
    const { partsResumed } = await sort(path('in'), path('out'), { ...OPTIONS, resume: true });
    const expected = Buffer.from(
      new Uint32Array(new Uint8Array(readFileSync(path('in'))).buffer).sort().buffer,
    );
    expect(partsResumed).toBe(0);
    expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
  };
  const change = (edit: (manifest: Noted) => void, file = 'manifest.json'): void => {
    const name = join(left(), file);
    const manifest = JSON.parse(readFileSync(name, 'utf8'));
    edit(manifest);
    writeFileSync(name, JSON.stringify(manifest));
  };
  const partsOf = ({ parts }: Noted): NotedPart[] => parts as NotedPart[];
  const lastOf = (manifest: Noted): NotedPart => partsOf(manifest).at(-1) as NotedPart;

  it('if another sort has tidied the temporary output', async () => {
    numbersFile('in');
    mkdirSync(path('tmp'));
    const options = { ...OPTIONS, tmp: path('tmp') };
    kill(options);
    write('small', new Uint32Array(10));
    await sort(path('small'), path('other'), OPTIONS);
    expect(names()).toEqual(['in', 'other', 'small', 'tmp']);
    const { partsResumed } = await sort(path('in'), path('out'), { ...options, resume: true });
    expect(partsResumed).toBe(0);
    expect(names()).toEqual(['in', 'other', 'out', 'small', 'tmp']);
    expect(readdirSync(path('tmp'))).toEqual([]);
  });

  it('if repeats are to be left out, and were not', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(LENGTH)).map((number) => number % 1000);
    write('in', numbers);
    kill(OPTIONS);
    const options = { ...OPTIONS, unique: true, resume: true };
    const { partsResumed } = await sort(path('in'), path('out'), options);
    expect(partsResumed).toBe(0);
    const expected = Uint32Array.from(new Set(numbers)).sort();
    expect(readFileSync(path('out')).equals(Buffer.from(expected.buffer)), `seed ${SEED}`).toBe(
      true,
    );
  });

  it('if the input has other bytes, of the same size and time', async () => {
    const { input } = numbersFile('in');
    utimesSync(input, 1, 1);
    kill(OPTIONS);
    writeFileSync(input, new Random(SEED + 1).fill(new Uint32Array(LENGTH)));
    utimesSync(input, 1, 1);
    await anew();
    expect(names()).toEqual(['in', 'out']);
  });

  const edits: [string, (manifest: Noted) => void, string?][] = [
    [
      'parts outside of the folder',
      (m) => {
        lastOf(m).paths = ['../in'];
      },
    ],
    [
      'a part that is a path',
      (m) => {
        lastOf(m).paths = [path('in')];
      },
    ],
    [
      'a part that is gone',
      (m) => {
        lastOf(m).paths = ['cached/250'];
      },
    ],
    [
      'a part of another size',
      (m) => {
        lastOf(m).size -= 4;
      },
    ],
    [
      'fewer parts',
      (m) => {
        partsOf(m).pop();
      },
    ],
    [
      'no parts',
      (m) => {
        m.parts = 7;
      },
    ],
    [
      'a part without paths',
      (m) => {
        delete lastOf(m).paths;
      },
    ],
    [
      'records that stayed beyond the input',
      (m) => {
        lastOf(m).stays = [{ behind: 0, from: 4 * LENGTH, size: lastOf(m).size }];
        lastOf(m).paths = [];
      },
    ],
    [
      'another temporary output',
      (m) => {
        (m.temporary as { name: string }).name = '../in';
      },
    ],
    [
      'the input as its temporary output',
      (m) => {
        (m.temporary as { name: string }).name = 'in';
      },
    ],
    [
      'no temporary output',
      (m) => {
        delete m.temporary;
      },
    ],
    [
      'another file as its temporary output',
      (m) => {
        (m.temporary as { identity: string }).identity = '1-1';
      },
    ],
    [
      'more parts done than there are',
      (m) => {
        m.parts = 1e6;
      },
      'done.json',
    ],
    [
      'half a record done',
      (m) => {
        m.bytes += 1;
      },
      'done.json',
    ],
    [
      'fewer bytes done',
      (m) => {
        m.bytes -= 4;
      },
      'done.json',
    ],
    [
      'what is done in no shape',
      (m) => {
        m.parts = 'all';
      },
      'done.json',
    ],
  ];

  type Edit = (noted: Noted) => void;
  /** Gives the value at a path another one. */
  const set =
    (path: string, value: unknown): Edit =>
    (noted) => {
      const names = path.split('.');
      const last = names.pop() as string;
      const at = names.reduce((at, name) => at[name] as never, noted as unknown as Json);
      at[last] = value;
    };
  type Json = { [name: string]: unknown };
  const add =
    (name: 'parts' | 'bytes', more: number): Edit =>
    (noted) => {
      noted[name] = (noted[name] as number) + more;
    };
  /** Has some of the last part stay in the input: its file has that much less. */
  const stay =
    (...stays: readonly (readonly [behind: number, from: number, size: number])[]): Edit =>
    (noted) => {
      const last = lastOf(noted);
      last.stays = stays.map(([behind, from, size]) => ({ behind, from, size }));
      const staying = stays.reduce((sum, [, , size]) => sum + size, 0);
      truncateSync(join(left(), last.paths?.[0] as string), last.size - staying);
    };

  it('if the manifest is not one that such a sort writes, whatever is wrong with it', () => {
    numbersFile('in');
    kill(OPTIONS);
    const folder = new HeldFolder(left());
    const kept = ['manifest.json', 'done.json'].map((name) => {
      const file = join(left(), name);
      return [file, readFileSync(file, 'utf8')] as const;
    });
    const { job, parts } = JSON.parse(kept[0]?.[1] as string);
    const last = parts.length - 1;
    const read = (unique = false, size = 4 * LENGTH, ofJob = job) => {
      const layout = { width: 4, keys: [], numbers: 'u32' } as const;
      return readManifest(folder, ofJob, size, { layout, unique });
    };
    const restore = (): void => {
      for (const [file, text] of kept) writeFileSync(file, text);
      truncateSync(join(left(), parts[last].paths[0]), parts[last].size);
    };
    expect(read()?.done.parts).toBeGreaterThan(2);
    expect(read(false, 4 * LENGTH + 4)).toBeUndefined();
    expect(read(false, 4 * LENGTH, `${job} `)).toBeUndefined();
    const all = ['levels', 'imbalance', 'job', 'sample', 'sample.parts', 'sample.checksum'];
    const wrong: readonly (readonly [string, Edit, string?])[] = [
      // Only a sort that goes on finds out about the identity of a file.
      ...edits.filter(([name]) => !name.startsWith('another file')),
      ...all.map((path) => [`no ${path}`, set(path, null)] as const),
      ...[0, 65, 1.5].map((levels) => [`${levels} levels`, set('levels', levels)] as const),
      ...[0, 1, 257, '2'].map((of) => [`a sample of ${of}`, set('sample.parts', of)] as const),
      ['a size that is no number', set(`parts.${last}.size`, `${parts[last].size}`)],
      ['a part that is nothing', set(`parts.${last}`, null)],
      ['a path that is none', set(`parts.${last}.paths`, [7])],
      ['a stay that is nothing', set(`parts.${last}.stays`, [null])],
      ['stays that overlap in the file', stay([8, 0, 4], [4, 0, 4])],
      ['a stay behind the end of the file', stay([1e6, 0, 4])],
      ['a stay that ends beyond the input', stay([0, 4 * LENGTH - 4, 8])],
      ['a stay behind half a record', stay([2, 0, 4])],
      ['a stay from half a record on', stay([0, 2, 4])],
      ['a stay of half a record', stay([0, 0, 2])],
      ['a stay of less than nothing', stay([0, 8, -4])],
      ['fewer than no parts done', set('parts', -1), 'done.json'],
      ['half a part done', set('parts', 0.5), 'done.json'],
      ['more parts done than their bytes', add('parts', 1), 'done.json'],
      ['more bytes done', add('bytes', 4), 'done.json'],
      ['no bytes done', set('bytes', 0), 'done.json'],
      ['bytes that are no number', set('bytes', null), 'done.json'],
    ];
    for (const [name, edit, file] of wrong) {
      change(edit, file);
      expect(read(), name).toBeUndefined();
      restore();
      expect(read(), name).toBeDefined();
    }
    change(stay([0, 0, 4], [4, 4 * LENGTH - 4, 4], [4, 4, 8]));
    expect(read()).toBeDefined();
    // Repeats that are left out make fewer bytes, and never more.
    change(add('bytes', -4), 'done.json');
    expect(read(true)).toBeDefined();
    change(add('bytes', 8), 'done.json');
    expect(read(true)).toBeUndefined();
    folder.close();
  });

  it.each(sample(edits, 2, SEED))('if the manifest has %s', async (_, edit, file) => {
    const { input } = numbersFile('in');
    const before = readFileSync(input);
    kill(OPTIONS);
    change(edit, file);
    await anew();
    expect(readFileSync(input).equals(before)).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });

  it('if the file of a part is shorter, or longer, than it was', async () => {
    for (const [i, change] of [-4, 4].entries()) {
      numbersFile('in');
      kill(OPTIONS);
      const { parts } = JSON.parse(readFileSync(join(left(), 'manifest.json'), 'utf8'));
      const file = join(left(), partsOf({ parts, bytes: 0 }).at(-1)?.paths?.[0] as string);
      truncateSync(file, statSync(file).size + change);
      await anew();
      expect(names(), `change ${i}`).toEqual(['in', 'out']);
    }
  });

  it('if the temporary output is shorter than the part that is done', async () => {
    numbersFile('in');
    kill(OPTIONS);
    const isFile = (name: string): boolean =>
      name.startsWith('.keysweep-') && statSync(path(name)).isFile();
    truncateSync(path(names().find(isFile) as string), 4);
    await anew();
    expect(names()).toEqual(['in', 'out']);
  });

  it('if parts are larger than the memory that there is now', async () => {
    numbersFile('in');
    kill({ ...OPTIONS, memory: 800_000 }, 'sort', 1);
    await anew();
    expect(names()).toEqual(['in', 'out']);
  });

  it('if a part is a file outside of the folder that has the same bytes', async () => {
    numbersFile('in');
    kill(OPTIONS);
    change((manifest) => {
      const [file] = lastOf(manifest).paths as [string];
      copyFileSync(join(left(), file), path('copy'));
      lastOf(manifest).paths = ['../copy'];
    });
    await anew();
    expect(names()).toEqual(['copy', 'in', 'out']);
  });

  it('if the manifest can be written by others, or is a link', async () => {
    for (const spoil of [
      (name: string) => chmodSync(name, 0o666),
      (name: string) => {
        renameSync(name, `${name}.next`);
        symlinkSync('manifest.json.next', name);
      },
    ]) {
      numbersFile('in');
      kill(OPTIONS);
      spoil(join(left(), 'manifest.json'));
      await anew();
    }
  });
});
