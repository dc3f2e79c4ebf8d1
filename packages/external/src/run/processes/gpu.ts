/**
 * A GPU for a process alone. Dawn opens the first of equal GPUs, in every process. A process that
 * cannot open the device files of the others gets its own: in a mount namespace they are hidden.
 */

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExternalError } from '../../error.js';

const run = promisify(execFile);

/** A program and its arguments. */
export type CommandLine = readonly [command: string, ...args: string[]];

/** Hides the files up to '--' behind an empty device, then becomes the program behind it. */
const HIDE = `while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 1; shift; done
shift; exec "$@"`;

/** With rights of its own, then with those that any user has where the system allows it. */
const NAMESPACES: readonly (readonly string[])[] = [
  ['--mount'],
  ['--user', '--map-root-user', '--mount'],
];

/** The device files of NVIDIA's GPUs that are not hidden, in the order of their numbers. */
async function gpuFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names
    .filter((name) => /^nvidia\d+$/.test(name))
    .sort((a, b) => Number(a.slice(6)) - Number(b.slice(6)))
    .map((name) => join(folder, name));
  const { rdev: hidden } = await stat('/dev/null').catch(() => ({ rdev: -1 }));
  const devices = await Promise.all(files.map((file) => stat(file)));
  return files.filter((_, i) => devices[i]?.rdev !== hidden);
}

/**
 * How to start `program` so that GPU `gpu` is the only one that it finds: by which command, with
 * which arguments. GPUs are counted from 0, those that this process sees. Where it sees one, that
 * is `program` as it is. Takes Linux, the programs `unshare` and `mount`, and the right to make a
 * mount namespace.
 *
 * ```ts
 * const [command, ...args] = await aloneWithGpu(1, [process.execPath, 'worker.js']);
 * spawn(command, args); // its process finds one GPU
 * ```
 * @throws ExternalError where there is no such GPU, or the system does not let others be hidden
 */
export async function aloneWithGpu(
  gpu: number,
  program: CommandLine,
  folder = '/dev',
): Promise<CommandLine> {
  const files = await gpuFiles(folder);
  if (gpu >= Math.max(1, files.length)) {
    const found = files.length === 0 ? `no ${folder}/nvidia0` : files.join(', ');
    throw new ExternalError(
      `there is no GPU ${gpu}: GPUs are counted from 0, by NVIDIA's device files, and here is ` +
        `${found}; others cannot be told apart`,
    );
  }
  const others = files.filter((_, i) => i !== gpu);
  if (others.length === 0) return program;
  let reason = '';
  for (const namespace of NAMESPACES) {
    const command = ['unshare', ...namespace, 'sh', '-c', HIDE, 'sh', ...others, '--'] as const;
    try {
      await run(command[0], [...command.slice(1), 'true']);
      return [...command, ...program];
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string };
      reason = (stderr || message).trim().replace(/\s*\n\s*/g, '; ');
    }
  }
  throw new ExternalError(
    `GPU ${gpu} cannot be given to a process alone: ${reason}; start one process for each GPU ` +
      `in a container that sees no other, such as docker run --gpus device=${gpu}`,
  );
}
