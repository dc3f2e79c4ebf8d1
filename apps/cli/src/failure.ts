/** The command's errors: each message is one line. */

import { getSystemErrorMap } from 'node:util';

/** The work could not be done: exit code 1. The message is the whole line. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Nobody reads the output any more, as when `head` has had enough: no error to speak of. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** The command line is not valid: exit code 2, with a hint to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Errors whose message is one line, but for newlines in the names that it tells. */
const OF_ONE_LINE = ['Failure', 'UsageError', 'FileError', 'MemoryError', 'ExternalError'];

/** The message of any error in one line: those of drivers and libraries may have several. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  return OF_ONE_LINE.includes(name) ? message : message.trim().replace(/\s*\n\s*/g, ' ');
}

/** The reason in an error of the system or a library: "no such file or directory (ENOENT)". */
export function reasonOf(error: unknown): string {
  const { errno } = Object(error) as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? messageOf(error) : `${known[1]} (${known[0]})`;
}

/** `error` itself when it is already a Failure, else a Failure saying "<what>: <reason>". */
export function failureOf(what: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(`${what}: ${reasonOf(error)}`, { cause: error });
}
