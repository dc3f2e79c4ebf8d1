/** Resumes a sort whose process has ended, from the parts that it has left, if they are whole. */

import type { MemoryPlan } from '../divide/memory-plan.js';
import { checksumOf, readSample } from '../divide/sample.js';
import type { Run } from '../open/run.js';
import type { Source } from '../open/source.js';
import { nameIn } from '../storage/address.js';
import { HeldFolder } from '../storage/held.js';
import type { StoredOutput } from '../storage/storage.js';
import { leftIn } from '../storage/temporary.js';
import type { Workspace } from '../storage/workspace.js';
import { type Done, type Manifest, readManifest } from './manifest.js';

/** Parts of this sort that another process has made, and how many of them it has written. */
export interface Resumed {
  readonly folder: string;
  /** The temporary file that becomes the output. */
  readonly temporary: string;
  readonly manifest: Manifest;
  readonly done: Done;
}

/** The sort that is to be resumed. */
export interface Resumable {
  readonly workspace: Workspace;
  readonly target: StoredOutput;
  readonly source: Source;
  /** What tells this sort from others: its input, output and options. */
  readonly job: string;
  readonly memoryPlan: MemoryPlan;
  /** Whether child processes sort the parts: they read only files of parts. */
  readonly isForChildren: boolean;
}

/**
 * Takes the parts that a process of this user has left of the same job. Undefined if there are
 * none, or if they do not fit: some are larger than memory, or lie in the input although child
 * processes are to sort them.
 */
export async function resume(
  run: Run,
  { workspace, target, source, job, memoryPlan: { partBytes }, isForChildren }: Resumable,
): Promise<Resumed | undefined> {
  for (const place of workspace.places) {
    for (const { held, name, isFolder } of leftIn(place)) {
      const found = isFolder ? readLeft(held, name, run, source.size, job) : undefined;
      if (found === undefined) continue;
      const { manifest, done } = found;
      const isFit = manifest.parts.every(
        ({ size, stays }) => size <= partBytes && !(isForChildren && stays.length > 0),
      );
      if (!isFit || !(await isSampleOf(run, source, manifest))) continue;
      const temporary = workspace.temporaryIn(target.folder);
      const { name: left, identity } = manifest.temporary;
      // Another sort may have tidied it, or be quicker to go on.
      if (!target.adopt?.(left, identity, done.bytes, temporary)) continue;
      const folder = adopted(workspace, place, held, name);
      if (folder === undefined) {
        await run.storage.remove(temporary);
        continue;
      }
      const parts = manifest.parts.map((part) => ({
        ...part,
        paths: part.paths.map((path) => nameIn(folder, path)),
      }));
      return { folder, temporary, manifest: { ...manifest, parts }, done };
    }
  }
  return undefined;
}

function readLeft(
  held: HeldFolder,
  name: string,
  run: Run,
  size: number,
  job: string,
): ReturnType<typeof readManifest> {
  let folder: HeldFolder;
  try {
    folder = new HeldFolder(held.at(name), true);
  } catch {
    // It has just been removed.
    return undefined;
  }
  try {
    return readManifest(folder, job, size, run);
  } finally {
    folder.close();
  }
}

/** The name and the time of a file may be as they were, with other bytes in it. */
async function isSampleOf(run: Run, source: Source, { sample }: Manifest): Promise<boolean> {
  return checksumOf(await readSample(run, source, sample.parts)) === sample.checksum;
}

function adopted(
  workspace: Workspace,
  place: string,
  held: HeldFolder,
  name: string,
): string | undefined {
  try {
    return workspace.adoptFolder(place, held, name);
  } catch {
    // Another process has just taken or removed it.
    return undefined;
  }
}
