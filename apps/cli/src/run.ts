/** From the command line to an exit code. */

import { readFileSync } from 'node:fs';
import type { SortCommand } from './arguments/command.js';
import { helpOf, usage } from './arguments/help.js';
import { parseCommand } from './arguments/parse.js';
import { messageOf, ReaderGone, UsageError } from './failure.js';
import { print } from './io/output.js';
import { say, sayError } from './io/terminal.js';
import { isTooLarge } from './too-large.js';

/** The version of this command. */
function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** What a shell says of a program that SIGPIPE has ended, as it ends other programs there. */
const CLOSED_PIPE = 141;

/**
 * Runs one command. Resolves to the exit code: 0 done, 1 failed, 2 bad usage, 141 where the reader
 * of a pipe had enough. Codes 1 and 2 come after one line on standard error. Never rejects.
 */
export async function run(argv: readonly string[]): Promise<0 | 1 | 2 | typeof CLOSED_PIPE> {
  try {
    await perform(argv);
    return argv.length === 0 ? 2 : 0;
  } catch (error) {
    if (error instanceof ReaderGone) return CLOSED_PIPE;
    const isUsage = error instanceof UsageError;
    sayError('keysweep', `${messageOf(error)}${isUsage ? ' (see keysweep --help)' : ''}`);
    return isUsage ? 2 : 1;
  }
}

async function sort(command: SortCommand): Promise<void> {
  if (isTooLarge(command)) {
    return (await import('./commands/sort-file.js')).runSortFile(command);
  }
  const { performerOf } = await import('./job/job.js');
  const performer = performerOf(command);
  try {
    await (await import('./commands/sort.js')).runSort(command, performer);
  } finally {
    await performer.end();
  }
}

async function perform(argv: readonly string[]): Promise<void> {
  const command = parseCommand(argv);
  switch (command.name) {
    case 'usage':
      return say(usage());
    case 'completion':
      return print((await import('./commands/completion.js')).completionOf(command.shell));
    case 'help':
      return print(helpOf(command.of));
    case 'version':
      return print(`keysweep ${version()}\n`);
    case 'sort':
      return sort(command);
    case 'check':
      return (await import('./commands/check.js')).runCheck(command);
    case 'gen':
      return (await import('./commands/gen.js')).runGen(command);
    case 'submit':
      return (await import('./commands/submit.js')).runSubmit(command);
    case 'worker':
      return (await import('./commands/worker.js')).runWorkerCommand(command);
    case 'doctor':
      return (await import('./commands/doctor.js')).runDoctor(command, version());
  }
}
