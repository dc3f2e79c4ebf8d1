/** What is at a path, apart from what reads it, which loads more code. */

import { type Stats, statSync } from 'node:fs';

/**
 * What is at `path`, after links; undefined if nothing is, or if the system doesn't say. Whoever
 * then opens it learns the reason, and names the file.
 */
export function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether `path` can only be read once, front to back, as a pipe can. */
export function isStream(path: string): boolean {
  const info = kindOf(path);
  return info !== undefined && !info.isFile() && !info.isDirectory();
}
