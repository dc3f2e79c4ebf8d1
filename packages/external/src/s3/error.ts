/** What a store says when a request has failed, in one line. */

import type { S3ServiceException } from '@aws-sdk/client-s3';
import { ExternalError } from '../error.js';
import { secretsIn, withoutSecretsIn } from '../shown.js';

/** The status of an answer; undefined for what is no answer of a store. */
export const statusOf = (error: unknown): number | undefined =>
  (error as Partial<S3ServiceException> | undefined)?.$metadata?.httpStatusCode;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  // An answer without a body has no message of its own.
  if (name === 'NotFound' || name === 'NoSuchKey') return `there is no such object (${name})`;
  const { code } = error as NodeJS.ErrnoException;
  const said = message === '' || message === 'UnknownError' ? (code ?? 'no reason given') : message;
  const kind = [name, statusOf(error)].filter((part) => part !== undefined && part !== 'Error');
  const line = said.replace(/\s+/g, ' ').trim();
  return kind.length === 0 ? line : `${line} (${kind.join(', ')})`;
}

/** What the client may have taken from the environment, and may put into its errors. */
const secretsOfEnvironment = (): string[] => {
  const { AWS_SECRET_ACCESS_KEY: key = '', AWS_SESSION_TOKEN: token = '' } = process.env;
  const { AWS_ENDPOINT_URL_S3: s3 = '', AWS_ENDPOINT_URL: other = '' } = process.env;
  return [key, token, ...secretsIn(s3), ...secretsIn(other)].filter((one) => one !== '');
};

/**
 * The result of `work`.
 * @throws ExternalError as `work` throws it; any other error as one that says "<what>: <reason>"
 */
export async function answered<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    const clean = cause instanceof Error ? withoutSecretsIn(cause, secretsOfEnvironment()) : cause;
    throw new ExternalError(`${what}: ${reasonOf(clean)}`, { cause: clean });
  }
}
