/** The sorter that a command asks for. */

import { builtin, createSorter, type Sorter, type SortWarning } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';
import { messageOf } from '../failure.js';
import { sayError } from '../io/terminal.js';

/** Says what makes the sort slower; the cause may be a message of a driver. */
function onWarning({ message, code, cause }: SortWarning): void {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  sayError('keysweep', `${message} [${code}]${why}`);
}

/** A sorter with the threads that the command asks for; these are the CPU's. */
export async function sorterOf({ threads }: Pick<SortCommand, 'threads'>): Promise<Sorter> {
  if (threads === undefined) return createSorter({ onWarning });
  const { cpu } = await import('@keysweep/cpu');
  return createSorter({ backends: [cpu({ threads }), builtin()], onWarning });
}
