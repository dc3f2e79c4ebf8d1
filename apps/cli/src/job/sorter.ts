/** The sorter that a command asks for. */

import { builtin, createSorter, type Sorter } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';

/** A sorter with the threads that the command asks for; these are the CPU's. */
export async function sorterOf({ threads }: Pick<SortCommand, 'threads'>): Promise<Sorter> {
  if (threads === undefined) return createSorter();
  const { cpu } = await import('@keysweep/cpu');
  return createSorter({ backends: [cpu({ threads }), builtin()] });
}
