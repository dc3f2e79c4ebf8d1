/** The temporary folder of a sort, and the temporary file that becomes its output. */

import { tmpdir } from 'node:os';
import { allDone } from './all-done.js';
import { ExternalError } from './error.js';
import { isAddress } from './storage/address.js';
import type { Storage, StoredOutput } from './storage/storage.js';
import { noteTemporary, temporaryIn } from './storage/temporary.js';

/** Where a sort keeps what it needs for a while. */
export class Workspace {
  /** The folder that temporary folders are made in. */
  readonly tmp: string;
  readonly #storage: Storage;
  readonly #temporaries = new Map<string, () => void>();
  #folder: string | undefined;

  constructor(storage: Storage, tmp: string | undefined, output: StoredOutput | undefined) {
    this.#storage = storage;
    const beside = output === undefined || isAddress(output.folder) ? undefined : output.folder;
    this.tmp = tmp ?? beside ?? tmpdir();
  }

  /** A new name in `folder`, whose file is removed at the end. */
  temporaryIn(folder: string): string {
    const path = temporaryIn(folder);
    this.#temporaries.set(path, isAddress(path) ? () => {} : noteTemporary(path));
    return path;
  }

  /** The temporary folder, which is made when it is first wanted. */
  async folder(): Promise<string> {
    if (this.#folder === undefined) {
      this.#folder = this.temporaryIn(this.tmp);
      await this.#storage.makeFolder(this.#folder);
    }
    return this.#folder;
  }

  /** Takes the temporary folder that another process left. */
  async adoptFolder(left: string): Promise<string> {
    this.#folder = this.temporaryIn(this.tmp);
    await this.#storage.rename(left, this.#folder);
    return this.#folder;
  }

  /** Takes a temporary file that another process left in `folder`. */
  async adoptFile(left: string, folder: string): Promise<string> {
    const path = this.temporaryIn(folder);
    await this.#storage.rename(left, path);
    return path;
  }

  /** Removes all temporary files. */
  async remove(): Promise<void> {
    await allDone(
      Array.from(this.#temporaries, async ([path, forget]) => {
        await this.#storage.remove(path);
        forget();
      }),
    );
  }
}

/**
 * @throws ExternalError where a folder has too little space. `needs` are the bytes for each folder;
 *   those of folders on one device add up, and `together` is the most that they need at a time.
 */
export async function assertSpace(
  storage: Storage,
  needs: readonly { readonly folder: string; readonly bytes: number }[],
  together: number,
): Promise<void> {
  const spaces = await Promise.all(needs.map(({ folder }) => storage.space(folder)));
  const devices = new Set(spaces.map((space) => space?.device));
  for (const [i, { folder, bytes }] of needs.entries()) {
    const needed = devices.size === 1 ? together : bytes;
    const free = spaces[i]?.free;
    if (free === undefined || free >= needed) continue;
    throw new ExternalError(
      `not enough space in '${folder}': the sort needs ${needed} bytes there, and ${free} are ` +
        'free; make room, or name another folder for temporary files',
    );
  }
}
