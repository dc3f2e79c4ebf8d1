/**
 * The names of a sort's temporary files. All of them are made here, and told from others:
 *
 *   .keysweep-SYSTEM-PROCESS-UNIQUE.tmp   the folder of a sort, or its output while it is written
 *     input                               a stream that was spooled
 *     manifest.json, done.json            what the sort has done so far; `.next` while written
 *     parts, cached                       folders of parts: past the system's cache, or through it
 *     parts-part-3                        the parts of an overfull part, number 3
 *     parts-1                             the parts that thread, or attempt, number 1 has made
 *       0, 1, 2 …                         a part each
 */

import { nameIn } from './address.js';

/** The file of a spooled stream. */
export const INPUT = 'input';
export const MANIFEST = 'manifest.json';
export const DONE = 'done.json';

const FILES: readonly string[] = [
  INPUT,
  ...[MANIFEST, DONE].flatMap((name) => [name, nextOf(name)]),
];
const PARTS = /^(cached|parts)(-(part-)?\d+)*$/;
const PART = /^\d+$/;
const PAST_CACHE = /[\\/]\.keysweep-[^\\/]*\.tmp([\\/](?!cached)|$)/;

/** What the names of temporary files of a system start with. */
export const prefixOf = (system: string): string => `.keysweep-${system}-`;

/** The name of a temporary file or folder of a process; `unique` are 8 hexadecimal digits. */
export const temporaryName = (system: string, process: number, unique: string): string =>
  `${prefixOf(system)}${process}-${unique}.tmp`;

/** The process whose temporary file has this name; undefined if it is none of this system. */
export function processOf(system: string, name: string): number | undefined {
  const prefix = prefixOf(system);
  if (!name.startsWith(prefix)) return undefined;
  const [, process] = /^(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length)) ?? [];
  return process === undefined ? undefined : Number(process);
}

/** Where a file is written before it takes the name of an older one. */
export function nextOf(name: string): string {
  return `${name}.next`;
}

/** The folder of the parts of an input, in the folder of its sort. */
export const partsIn = (folder: string, isCached: boolean): string =>
  nameIn(folder, isCached ? 'cached' : 'parts');

/** The folder of the parts of part number `part`, which is divided again. */
export const partsOfPart = (folder: string, part: number): string => `${folder}-part-${part}`;

/** The folder of the parts that thread, or attempt, number `maker` makes. */
export const partsBy = (folder: string, maker: number): string => `${folder}-${maker}`;

/** The file of a part in a folder of parts. */
export const partIn = (folder: string, part: number): string => nameIn(folder, `${part}`);

/** Whether a sort calls a file in its folder so, besides folders of parts. */
export const isFileName = (name: string): boolean => FILES.includes(name);

/** Whether a sort calls a folder of parts so. */
export const isPartsName = (name: string): boolean => PARTS.test(name);

/** Whether a sort calls the file of a part so. */
export const isPartName = (name: string): boolean => PART.test(name);

/** Whether `path` is the file of a part, from the folder of its sort on. */
export function isPartPath(path: string): boolean {
  const [folder = '', file = '', ...more] = path.split(/[\\/]/);
  return isPartsName(folder) && isPartName(file) && more.length === 0;
}

/** Whether `path` is a temporary file of a sort, or in its folder, but for cached parts. */
export const isPastCache = (path: string): boolean => PAST_CACHE.test(path);
