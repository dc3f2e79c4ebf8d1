/**
 * What a sort has done so far, in its temporary folder: `manifest.json` when its parts are whole,
 * `done.json` with each part that is written. A later sort of the same goes on from there, if the
 * process was killed. The files are as the system has them, so they are worth nothing once the
 * system itself has stopped; names of temporary files tell that apart.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Part, Stay } from '../divide/part.js';
import type { Parts } from '../divide/partition.js';
import { MAX_PARTS } from '../divide/splitters.js';
import type { Run } from '../open/run.js';
import { isAddress, nameIn } from '../storage/address.js';
import { type HeldFolder, isOwn } from '../storage/held.js';
import { writeJson } from '../storage/json.js';
import { DONE, isPartPath, MANIFEST, nextOf } from '../storage/names.js';
import type { Storage } from '../storage/storage.js';
import { isLeft } from '../storage/temporary.js';

/** How often a byte may be partitioned: more than any file takes. */
const MAX_LEVELS = 64;

/** The parts of a sort, by their paths in the folder. */
export interface Manifest extends Parts {
  /** What is sorted, and how: see `jobOf`. */
  readonly job: string;
  /** The temporary file that becomes the output: its name beside that, and what identifies it. */
  readonly temporary: { readonly name: string; readonly identity: string };
}

export interface Done {
  /** Parts that are written. */
  readonly parts: number;
  /** Bytes of the output that they are. */
  readonly bytes: number;
}

/** Two sorts with the same job have the same result, and the same parts. */
export function jobOf(
  run: Run,
  output: string,
  input: readonly string[],
  versions: readonly string[],
): string {
  const paths = input.map((path) => (isAddress(path) ? path : resolve(path)));
  return JSON.stringify([output, paths, versions, run.layout, run.unique]);
}

/** Writes a file whole: a killed process leaves the old one or the new one. */
async function replaceJson(storage: Storage, path: string, value: unknown): Promise<void> {
  const next = nextOf(path);
  await storage.remove(next);
  await writeJson(storage, next, value);
  await storage.rename(next, path);
}

/** Notes the parts, which are in `folder`. */
export async function writeManifest(run: Run, folder: string, manifest: Manifest): Promise<void> {
  const parts = manifest.parts.map((part) => ({
    ...part,
    paths: part.paths.map((path) => relative(folder, path)),
  }));
  await replaceJson(run.storage, nameIn(folder, MANIFEST), { ...manifest, parts });
}

/** Notes how much is written. */
export function writeDone(run: Run, folder: string, done: Done): Promise<void> {
  return replaceJson(run.storage, nameIn(folder, DONE), done);
}

/**
 * What an ended process left of `job` in the open `folder`, if the whole of it is what such a
 * process writes: nothing in it is taken for granted. undefined if it is not, or not whole.
 */
export function readManifest(
  folder: HeldFolder,
  job: string,
  size: number,
  { layout: { width }, unique }: Pick<Run, 'layout' | 'unique'>,
): { manifest: Manifest; done: Done } | undefined {
  if (!isOwn(folder.stats())) return undefined;
  try {
    const manifest = readOwn(folder.at(MANIFEST));
    if (!isManifest(manifest) || manifest.job !== job) return undefined;
    const { parts } = manifest;
    const isFit = parts.every((part) => isPart(part, size, width));
    if (!isFit || sum(parts.map((part) => part.size)) !== size) return undefined;
    const done = readOwn(folder.at(DONE));
    if (!isDone(done, parts, width, unique)) return undefined;
    const left = parts.slice(done.parts);
    return left.every((part) => areThere(folder, part)) ? { manifest, done } : undefined;
  } catch {
    // The process was stopped before its parts were whole, or another one tidies the folder.
    return undefined;
  }
}

/** The JSON of a file that this user has written. @throws Error where another could have */
function readOwn(path: string): unknown {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const info = fstatSync(fd);
    if (!info.isFile() || !isOwn(info) || info.nlink !== 1) throw new Error("it is another's");
    return JSON.parse(readFileSync(fd, 'utf8'));
  } finally {
    closeSync(fd);
  }
}

type Unknown<T> = { readonly [Name in keyof T]?: unknown };

const isObject = (given: unknown): given is object => typeof given === 'object' && given !== null;

/** Whether `given` is a whole number from `least` to `most`. */
const isCount = (given: unknown, least: number, most: number): given is number =>
  Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Whether the shape is a manifest's. The contents of its parts are not looked at. */
function isManifest(given: unknown): given is Manifest {
  if (!isObject(given)) return false;
  const { job, temporary, sample, parts, levels, imbalance } = given as Unknown<Manifest>;
  if (!isObject(temporary) || !isObject(sample)) return false;
  const { name, identity } = temporary as Unknown<Manifest['temporary']>;
  const { parts: count, checksum } = sample as Unknown<Manifest['sample']>;
  return (
    [job, name, identity, checksum].every((text) => typeof text === 'string') &&
    isLeft(name as string) &&
    isCount(count, 2, MAX_PARTS) &&
    isCount(levels, 1, MAX_LEVELS) &&
    Number.isFinite(imbalance) &&
    Array.isArray(parts)
  );
}

function isPart(given: unknown, inputSize: number, width: number): given is Part {
  if (!isObject(given)) return false;
  const { paths, size, stays } = given as Unknown<Part>;
  const isSize = (one: unknown): one is number =>
    isCount(one, 0, inputSize) && (one as number) % width === 0;
  if (!Array.isArray(paths) || !Array.isArray(stays) || !isSize(size)) return false;
  if (!paths.every((path) => typeof path === 'string' && isPartPath(path))) return false;
  let [before, staying] = [0, 0];
  for (const stay of stays as unknown[]) {
    if (!isObject(stay)) return false;
    const { behind, from, size: length } = stay as Unknown<Stay>;
    if (!isSize(behind) || !isSize(from) || !isSize(length)) return false;
    if (behind < before || from + length > inputSize) return false;
    before = behind;
    staying += length;
  }
  return before <= size - staying;
}

function isDone(
  given: unknown,
  parts: readonly Part[],
  width: number,
  unique: boolean,
): given is Done {
  if (!isObject(given)) return false;
  const { parts: count, bytes } = given as Unknown<Done>;
  if (!isCount(count, 0, parts.length)) return false;
  const all = sum(parts.slice(0, count).map(({ size }) => size));
  // Repeats are left out.
  return isCount(bytes, unique ? 0 : all, all) && bytes % width === 0;
}

/** Whether the files of a part are there, with all that did not stay in the input. */
function areThere(folder: HeldFolder, { paths, size, stays }: Part): boolean {
  const files = paths.map((path) => lstatSync(folder.at(path)));
  const filed = size - sum(stays.map((stay) => stay.size));
  return files.every((file) => file.isFile()) && sum(files.map((file) => file.size)) === filed;
}
