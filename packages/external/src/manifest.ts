/**
 * What a sort has done so far, in its temporary folder: `manifest.json` when its parts are whole,
 * `done.json` with each part that is written. A later sort of the same goes on from there, if the
 * process was killed. The files are as the system has them, so they are worth nothing once the
 * system itself has stopped; names of temporary files tell that apart.
 */

import { relative, resolve } from 'node:path';
import type { Parts } from './partition.js';
import type { Run } from './run.js';
import { isAddress, nameIn } from './storage/address.js';
import { readJson, writeJson } from './storage/json.js';
import type { Storage } from './storage/storage.js';
import { leftoversIn } from './storage/temporary.js';

/** The parts of a sort, by their paths in the folder. */
export interface Manifest extends Parts {
  /** What is sorted, and how: see `jobOf`. */
  readonly job: string;
  /** The temporary file that becomes the output. */
  readonly temporary: string;
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

const MANIFEST = 'manifest.json';
const DONE = 'done.json';

/** Writes a file whole: a killed process leaves the old one or the new one. */
async function replaceJson(storage: Storage, path: string, value: unknown): Promise<void> {
  const next = `${path}.next`;
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
 * The folder in `tmp` that an ended process left of `job`, its parts and how many are written;
 * undefined where there is none, or it is not whole.
 */
export async function findManifest(
  storage: Storage,
  tmp: string,
  job: string,
): Promise<{ folder: string; manifest: Manifest; done: Done } | undefined> {
  for (const folder of await leftoversIn(tmp, storage)) {
    try {
      const manifest = (await readJson(storage, nameIn(folder, MANIFEST))) as Manifest;
      if (manifest.job !== job) continue;
      const done = (await readJson(storage, nameIn(folder, DONE))) as Done;
      return { folder, manifest, done };
    } catch {
      // A file, or a folder whose process was stopped before its parts were whole.
    }
  }
  return undefined;
}
