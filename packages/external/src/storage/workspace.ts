/** The temporary folder of a sort, and the temporary file that becomes its output. */

import { tmpdir } from 'node:os';
import { allDone } from '../all-done.js';
import { ExternalError } from '../error.js';
import { isAddress } from './address.js';
import type { HeldFolder } from './held.js';
import { temporaryAt } from './live.js';
import { adoptPrivateFolder, makePrivateFolder, NotPrivate } from './private-folder.js';
import type { Storage, StoredOutput } from './storage.js';
import { temporaryIn } from './temporary.js';

/** Where a sort keeps what it needs for a while. */
export class Workspace {
  /** The folders that its own may be made in: the first in which it can be private. */
  readonly places: readonly string[];
  readonly #storage: Storage;
  readonly #temporaries = new Set<string>();
  #tmp: string | undefined;
  #folder: string | undefined;

  constructor(storage: Storage, tmp: string | undefined, output: StoredOutput | undefined) {
    this.#storage = storage;
    const beside = output === undefined || isAddress(output.folder) ? [] : [output.folder];
    this.places = tmp === undefined ? [...beside, tmpdir()] : [tmp];
  }

  /** The folder that temporary folders are made in. */
  get tmp(): string {
    return this.#tmp ?? (this.places[0] as string);
  }

  /** A new name in `folder`, whose file is removed at the end. */
  temporaryIn(folder: string): string {
    const path = temporaryIn(folder);
    this.#temporaries.add(path);
    return path;
  }

  /** The temporary folder, which is made when it is first wanted. */
  async folder(): Promise<string> {
    this.#folder ??= await this.#make();
    return this.#folder;
  }

  async #make(): Promise<string> {
    const last = this.places.length - 1;
    for (const [i, place] of this.places.entries()) {
      const path = this.temporaryIn(place);
      try {
        await (isAddress(path) ? this.#storage.makeFolder(path) : makePrivateFolder(path));
        this.#tmp = place;
        return path;
      } catch (error) {
        if (!(error instanceof NotPrivate) || i === last) throw error;
      }
    }
    throw new Error('a sort needs a place for temporary files');
  }

  /**
   * Takes the temporary folder that an ended process left in `place`, where it is open.
   * @throws the system's error, where another process has just taken or removed it
   */
  adoptFolder(place: string, held: HeldFolder, name: string): string {
    this.#folder = this.temporaryIn(place);
    this.#tmp = place;
    try {
      adoptPrivateFolder(held, name, this.#folder);
    } catch (error) {
      this.#folder = undefined;
      this.#tmp = undefined;
      throw error;
    }
    return this.#folder;
  }

  /** Removes all temporary files. */
  async remove(): Promise<void> {
    await allDone(
      Array.from(this.#temporaries, async (path) => {
        // What has become the output is none any more, and its name may be another's by now.
        if (isAddress(path) || temporaryAt(path) !== undefined) await this.#storage.remove(path);
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
