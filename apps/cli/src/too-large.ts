/** Whether a sort is left to @keysweep/external, because its input does not fit into memory. */

import { freemem } from 'node:os';
import type { SortCommand } from './arguments/command.js';
import { isForFiles } from './arguments/sort.js';
import { haveAddress } from './io/addresses.js';
import { kindOf } from './io/kind.js';

/** Memory that a sort in memory takes, over the bytes of its input. */
export const TIMES = 4;

/** Whether to sort by files: as asked for, by addresses, or what does not fit into the memory. */
export function isTooLarge(command: SortCommand): boolean {
  const { input, output, tmp, memory, unique, resume, processes } = command;
  if (!isForFiles(command)) return false;
  if (unique || resume || processes !== undefined) return true;
  if (haveAddress([input.path, output, tmp])) return true;
  const size = sizeOf(input.path);
  // A stream may have any size: it is held only where nobody says how much may be held.
  if (size === undefined) return memory !== undefined;
  return size * TIMES > (memory ?? freemem() / 2);
}

/** Bytes of a regular file; undefined for all else. What cannot be read is found out later. */
function sizeOf(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  const info = kindOf(path);
  return info?.isFile() ? info.size : undefined;
}
