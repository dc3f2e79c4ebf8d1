/** A sort that a worker does, and changes that make it one that the worker has to refuse. */

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';

export type Change = (world: World) => Record<string, unknown>;

/** Where the worker may be, and where it may not. */
export interface World {
  readonly root: string;
  readonly outside: string;
  /** The shared folder of a sort that is all right. */
  readonly folder: string;
}

export const folderIn = (tmp: string): string => join(tmp, `.keysweep-cluster-${randomUUID()}.tmp`);

/** A sort of the 16 bytes in `root/in` that a submitter may have asked for. */
export function specOf({ root, folder }: Pick<World, 'root' | 'folder'>): Record<string, unknown> {
  const { ino, size, mtimeMs } = statSync(join(root, 'in'));
  return {
    input: [join(root, 'in')],
    versions: [`${ino}-${size}-${mtimeMs}`],
    size,
    output: join(root, 'out'),
    layout: {
      width: 1,
      keys: [{ at: 0, bytes: 1, type: 'u8', order: 'ascending' }],
      numbers: 'u8',
    },
    memory: 2 ** 28,
    parts: 2,
    pieces: 2,
    pieceRecords: 8,
    attempts: 3,
    folder,
  };
}

const layout = (change: object): Change => {
  return (world) => ({ layout: { ...(specOf(world).layout as object), ...change } });
};

/** What is wrong with a sort. */
export const SORTS: readonly (readonly [name: string, change: Change, why: RegExp])[] = [
  ['an output outside', ({ outside }) => ({ output: join(outside, 'out') }), /roots/],
  ['an output above', ({ root }) => ({ output: `${root}/../outside/out` }), /roots/],
  ['an output by a link', ({ root }) => ({ output: join(root, 'link', 'out') }), /roots/],
  ['an output that is a link', ({ root }) => ({ output: join(root, 'linked') }), /roots/],
  ['an output that a link will make', ({ root }) => ({ output: join(root, 'new') }), /roots/],
  ['the root as the output', ({ root }) => ({ output: root }), /roots/],
  ['a name like the root', ({ root }) => ({ output: `${root}-more/out` }), /roots/],
  ['a relative output', () => ({ output: 'out' }), /absolute path/],
  ['an object', () => ({ output: 's3://bucket/out' }), /roots/],
  ['an object of no bucket', () => ({ output: 's3:///etc/passwd' }), /roots/],
  ['an address of a file', ({ outside }) => ({ output: `file://${outside}/out` }), /roots/],
  ['an input outside', ({ outside }) => ({ input: [join(outside, 'secret')] }), /roots/],
  ['an input by a link', ({ root }) => ({ input: [join(root, 'link', 'secret')] }), /roots/],
  ['an input of the system', () => ({ input: ['/etc/passwd'] }), /roots/],
  ['a folder above', ({ root }) => ({ folder: `${root}/../outside/home` }), /spec\.folder/],
  ['a folder in the root', ({ root }) => ({ folder: join(root, 'kept') }), /spec\.folder/],
  ['the root as the folder', ({ root }) => ({ folder: root }), /spec\.folder/],
  ['a folder outside', ({ outside }) => ({ folder: temporaryIn(outside) }), /roots/],
  ['a folder that is a link', ({ root }) => ({ folder: temporaryIn(root) }), /roots/],
  ['a folder by a link', ({ root }) => ({ folder: folderIn(join(root, 'link')) }), /roots/],
  ['3,000,000 parts', () => ({ parts: 3e6 }), /spec\.parts must be a whole number from 1 to 256/],
  ['parts as text', () => ({ parts: '2' }), /spec\.parts must be a number/],
  ['half a part', () => ({ parts: 1.5 }), /spec\.parts must be a whole number/],
  ['3,000,000 pieces', () => ({ pieces: 3e6 }), /spec\.pieces must be 2/],
  ['pieces of any length', () => ({ pieceRecords: 1e12 }), /spec\.pieceRecords must be 8/],
  ['all memory', () => ({ memory: 2 ** 50 }), /spec\.memory must be a whole number from/],
  ['too little memory', () => ({ memory: 1 }), /spec\.memory must be/],
  ['any number of attempts', () => ({ attempts: 1e9 }), /spec\.attempts must be/],
  ['a negative size', () => ({ size: -16 }), /spec\.size must be/],
  ['a size of no number', () => ({ size: 'NaN' }), /spec\.size must be/],
  ['more bytes than there are', () => ({ size: 2 ** 40 }), /refused/],
  ['input of no list', ({ root }) => ({ input: join(root, 'in') }), /spec\.input must be a list/],
  ['input of numbers', () => ({ input: [42] }), /spec\.input\[0\] must be/],
  ['no input', () => ({ input: [], versions: [] }), /at least one file/],
  ['no versions', () => ({ versions: undefined }), /spec\.versions must be a list/],
  ['no layout', () => ({ layout: null }), /spec\.layout must be an object/],
  ['records of 2^40 bytes', layout({ width: 2 ** 40, numbers: undefined }), /record\.bytes/],
  ['keys outside of a record', layout({ numbers: undefined, keys: [{ at: 9, bytes: 1 }] }), /at/],
  ['a type that an object has', layout({ numbers: 'constructor' }), /must be one of/],
  ['the type __proto__', layout({ numbers: '__proto__' }), /must be one of/],
  ['keys of another type', layout({ keys: [] }), /spec\.layout must be that of a type/],
  ['an unknown field', () => ({ execute: 'rm' }), /has no 'execute'/],
  ['a prototype', () => JSON.parse('{"__proto__": {"parts": 1}}'), /has no '__proto__'/],
];

/** A folder of the right name, which is there. */
export const temporaryIn = (folder: string): string =>
  join(folder, '.keysweep-cluster-00000000-0000-4000-8000-000000000000.tmp');
