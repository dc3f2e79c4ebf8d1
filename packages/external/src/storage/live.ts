/** The temporary files and folders of the sorts of this process that are at work. */

import type { ChildProcess } from 'node:child_process';

/** A temporary file or folder that this process has made. */
export interface Temporary {
  /** How the system reaches it, whatever has taken its name. */
  readonly access: string;
  /** Its descriptor, for child processes; undefined where descriptors have no names. */
  readonly fd: number | undefined;
  /** Removes it, with all that is in it. */
  remove(): Promise<void>;
  /** Removes it without a promise, as far as that works. */
  removeNow(): void;
}

const live = new Map<string, Temporary>();
/** By the paths of temporary files: how the system reaches them. */
const names = new Map<string, string>();

/** Notes the file or folder at `path`, which may be made only in a moment. */
export function keep(path: string, temporary: Temporary): void {
  live.set(path, temporary);
}

/** From now on the temporary file at `path` is reached through its descriptor. */
export function keepName(path: string, access: string): void {
  if (access !== path) names.set(path, access);
}

export function forget(path: string): void {
  live.delete(path);
  names.delete(path);
}

/** What this process has made at `path`, and has not removed. */
export const temporaryAt = (path: string): Temporary | undefined => live.get(path);

/** How the system reaches `path`: a temporary file, a file in such a folder, or any other. */
export function reach(path: string): string {
  for (const [name, access] of names) {
    if (path === name) return access;
    if (path.startsWith(`${name}/`)) return access + path.slice(name.length);
  }
  return path;
}

/** Paths, and how this process reaches them: for a thread of it. */
export type Names = readonly (readonly [path: string, access: string])[];

export const namesHere = (): Names => [...names];

/** Takes the names of the process that started this thread, or this process. */
export function takeNames(given: Names): void {
  for (const [path, access] of given) names.set(path, access);
}

const children = new Set<ChildProcess>();

/** Notes a child process that writes temporary files. Returns a function that forgets it. */
export function noteProcess(child: ChildProcess): () => void {
  children.add(child);
  return () => children.delete(child);
}

/**
 * Removes the temporary files of all sorts of this process that are at work, and ends their child
 * processes, at once: for a handler of a signal that then ends the process.
 */
export function removeTemporaries(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const temporary of live.values()) {
    try {
      temporary.removeNow();
    } catch {
      // The process ends anyway. The next sort of this user removes its files.
    }
  }
}
