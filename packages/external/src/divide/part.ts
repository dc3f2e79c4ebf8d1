/** Parts: records in files of their own, and blocks that stayed in the source. */

import type { Run } from '../open/run.js';
import { openFiles, type Piece, readPieces, type Source } from '../open/source.js';

/** Records that stayed in the source. */
export interface Stay {
  /** Bytes of the part's files in front of them. */
  readonly behind: number;
  /** Where they begin in the source. */
  readonly from: number;
  readonly size: number;
}

/** Records that belong together, in the order of the source. */
export interface Part {
  /** Its files, one after the other, which have what did not stay. */
  readonly paths: readonly string[];
  readonly size: number;
  readonly stays: readonly Stay[];
}

/** Opens a part of `source`, which is still open when it is read. */
export async function openPart(
  run: Run,
  { paths, size, stays }: Part,
  source: Source,
): Promise<Source> {
  const file = await openFiles(run, paths);
  const pieces: Piece[] = [];
  let filed = 0;
  for (const stay of stays) {
    pieces.push(pieceOf(file, filed, stay.behind - filed), pieceOf(source, stay.from, stay.size));
    filed = stay.behind;
  }
  pieces.push(pieceOf(file, filed, file.size - filed));
  return {
    size,
    paths,
    versions: [],
    read: (into, from) => readPieces(pieces, into, from),
    close: () => file.close(),
  };
}

/** The parts of stretches of a source: each stretch's parts follow the parts of the one before. */
export function joinParts(stretches: readonly (readonly Part[])[]): Part[] {
  const [first = []] = stretches;
  return first.map((_, i) => {
    const paths: string[] = [];
    const stays: Stay[] = [];
    let [size, filed] = [0, 0];
    for (const stretch of stretches) {
      const own = stretch[i] as Part;
      for (const stay of own.stays) stays.push({ ...stay, behind: filed + stay.behind });
      const ownFiled = own.stays.reduce((rest, stay) => rest - stay.size, own.size);
      if (ownFiled > 0) paths.push(...own.paths);
      size += own.size;
      filed += ownFiled;
    }
    return { paths, size, stays };
  });
}

const pieceOf = (source: Source, start: number, size: number): Piece => ({
  size,
  read: (into, from) => source.read(into, start + from),
});

/** What stays of each part, while a source is partitioned. */
export class Stays {
  readonly #stays: Stay[][];

  constructor(parts: number) {
    this.#stays = Array.from({ length: parts }, () => []);
  }

  /** Adds to a part, whose stays come in their order. */
  add(part: number, stay: Stay): void {
    const own = this.#stays[part] as Stay[];
    const last = own.at(-1);
    if (last?.behind === stay.behind && last.from + last.size === stay.from) {
      own[own.length - 1] = { ...last, size: last.size + stay.size };
    } else {
      own.push(stay);
    }
  }

  /** The part whose file has `filed` bytes. */
  partOf(part: number, path: string, filed: number): Part {
    const stays = this.#stays[part] as Stay[];
    return { paths: [path], size: stays.reduce((sum, { size }) => sum + size, filed), stays };
  }
}
