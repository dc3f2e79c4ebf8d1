/** What is said of each kernel while its twin runs, and the line of its text that does it. */

import type { Dispatch } from '@keysweep/papers';
import { TEXTS } from '@keysweep/papers/texts';

/** Words on a step, and a piece of the line that is marked; '' marks none. */
export interface Note {
  readonly line: string;
  readonly says: string;
}

/** What is said of an entry point. */
export interface EntryNotes {
  /** A piece of its first line, and what is said when it begins. */
  readonly start: string;
  readonly says: string;
  /** Makes a step of its own of what is read before something is written. */
  readonly reads?: Note;
  /** By the variable that is written first. */
  readonly writes: Readonly<Record<string, Note>>;
  /** All that it does is one step. */
  readonly isOneStep?: boolean;
}

type Entries = Readonly<Record<string, Omit<EntryNotes, 'start'>>>;

const BY_COUNTS =
  'A key goes behind the keys of smaller digits, and behind those of its own digit that come ' +
  'before it.';

const EXCHANGE = 'Two keys are compared. The smaller one goes to the lower place.';

const NOTES: Readonly<Record<string, Entries>> = {
  'comparison-counts': {
    countComparisons: {
      says: 'Each thread has one key, and compares it with all keys.',
      reads: { line: 'place += u32(', says: 'How many keys come before this one?' },
      writes: { targetKeys: { line: 'targetKeys[place] = key', says: 'That is its place.' } },
    },
  },
  'odd-even-transposition': {
    transpose: {
      says: 'A phase. Even phases have the pairs (0, 1), (2, 3), …; odd ones (1, 2), (3, 4), ….',
      reads: { line: 'if (key > next)', says: 'Neighbours are compared. Those in order stay.' },
      writes: {
        keys: { line: 'keys[at] = next', says: 'These are not in order: they change places.' },
      },
    },
  },
  selection: {
    selectKeys: {
      says: 'All threads look for the least key that is left.',
      reads: { line: 'atomicMin(&least, key)', says: 'Which of the keys that are left is least?' },
      writes: { targetKeys: { line: 'targetKeys[to] = key', says: 'It goes to the next place.' } },
    },
  },
  insertion: {
    insertKeys: {
      says: 'Key after key joins those that are in order.',
      writes: {
        targetKeys: {
          line: 'moved[i] = select(staying',
          says: 'Greater keys move up by one place. The new key goes where they have left room.',
        },
      },
    },
  },
  bitonic: {
    exchange: {
      says: 'A step between tiles: each thread compares one pair, in memory.',
      writes: { keys: { line: 'keys[places.x] = min(low, high)', says: EXCHANGE } },
    },
    exchangeTile: {
      says: 'A workgroup does all steps that stay within its tile, in its own storage.',
      writes: { keys: { line: 'exchangeInTile(', says: EXCHANGE } },
    },
  },
  'odd-even-merge': {
    exchange: {
      says: 'A step of a merge: each thread compares one pair, in memory.',
      writes: { keys: { line: 'keys[places.x] = min(low, high)', says: EXCHANGE } },
    },
    sortTile: {
      says: 'A workgroup does all merges within its tile, in its own storage.',
      writes: { keys: { line: 'exchangeInTile(', says: EXCHANGE } },
    },
  },
  'binary-radix': {
    countBits: {
      says: 'Each tile counts its keys with a 0 in the marked bit, and those with a 1.',
      writes: {
        ones: { line: 'own += 1u - ((sourceKeys[i]', says: 'The bit of a key is counted.' },
        zeros: { line: 'zeros[tile] = scanned', says: 'All others of the tile have a 0.' },
      },
    },
    split: {
      says: 'The split: zeros go to the front, ones to the end. None passes another of its kind.',
      writes: {
        targetKeys: {
          line: 'targetKeys[to] = key',
          says: 'A 0 goes behind all zeros before it, a 1 in front of all ones behind it.',
        },
      },
    },
  },
  scan: {
    scanTiles: {
      says: 'The scan: each count becomes the sum of all counts before it.',
      isOneStep: true,
      writes: {
        counts: { line: 'counts[at] = before', says: 'Each count is the sum of those before it.' },
      },
    },
    addSums: {
      says: 'The scan had several tiles. Each adds the sum of all tiles before it.',
      isOneStep: true,
      writes: {
        counts: { line: 'counts[placeOf(i)] += sums', says: 'The sums are those of all counts.' },
      },
    },
  },
  'explicit-counters': {
    sortTile: {
      says: 'Each tile counts its digits in sixteen counters, and is sorted by them.',
      writes: {
        counts: { line: 'atomicAdd(&counters', says: 'The marked digit of a key is counted.' },
        targetKeys: {
          line: 'store(i, tile',
          says: 'Four splits, one a bit, have put the tile in order of the digit.',
        },
      },
    },
    scatter: {
      says: 'The scatter. Keys of one digit lie side by side, and leave as neighbours.',
      writes: { targetKeys: { line: 'store(counts[digit', says: BY_COUNTS } },
    },
  },
  'masks-and-scans': {
    countDigits: {
      says: 'For each of sixteen digits: a mask of the keys that have it, and its sum.',
      writes: {
        counts: {
          line: 'own += u32(hasDigit',
          says: 'The marked digit of a key is counted: one mask has it.',
        },
      },
    },
    scatter: {
      says: 'The same masks again. A scan of each says where its keys go.',
      writes: { targetKeys: { line: 'targetKeys[to] = sourceKeys[i]', says: BY_COUNTS } },
    },
  },
  'implicit-counters': {
    countDigits: {
      says: 'Three counts share a word of memory. The fourth is what is left.',
      writes: {
        counts: { line: 'let own = countItems', says: 'The marked digit of a key is counted.' },
      },
    },
    scatter: {
      says: 'The scatter. A scan of packed words gives all four counts at once.',
      writes: {
        targetKeys: { line: 'store(counts[digit', says: BY_COUNTS },
        targetPairs: { line: 'store(counts[digit', says: BY_COUNTS },
      },
    },
  },
  pairs: {
    pack: {
      says: 'Keys and values come in separate arrays.',
      isOneStep: true,
      writes: { pairs: { line: 'pairs[i] = vec2u', says: 'They lie side by side now.' } },
    },
    unpack: {
      says: 'The pairs are in order.',
      isOneStep: true,
      writes: {
        keys: { line: 'keys[i] = pairs[i].x', says: 'They are in separate arrays again.' },
      },
    },
  },
  'merge-path': {
    sortTile: {
      says: 'Each tile is sorted in workgroup storage.',
      writes: { targetKeys: { line: 'store(start + i, tile[i])', says: 'It leaves in order.' } },
    },
    mergeRuns: {
      says: 'Two runs become one. Every thread finds by a search where its part of it begins.',
      writes: {
        targetKeys: {
          line: 'store(start + from_ + i',
          says: 'The first keys of two runs are compared. The smaller one is the next.',
        },
      },
    },
  },
  'sample-sort': {
    takeSamples: {
      says: 'Keys at equal distances in sorted tiles are samples of all keys.',
      writes: { samples: { line: 'samples[sample] = select', says: 'A sample.' } },
    },
    countBuckets: {
      says:
        'The samples are in order. Some of them, at equal distances, are cuts. Each tile counts ' +
        'its keys between cuts, and those that equal one.',
      writes: {
        counts: { line: 'counts[thread * params.tiles', says: 'A key is counted in its bucket.' },
      },
    },
    scatter: {
      says: 'The scatter: bucket after bucket.',
      writes: {
        targetKeys: { line: 'targetKeys[before] =', says: 'A key goes to its bucket.' },
      },
    },
    findRanges: {
      says: 'Where do buckets begin and end?',
      isOneStep: true,
      writes: {
        ranges: {
          line: 'ranges[thread] = vec2u',
          says: 'First and last place of each. Bitonic networks sort them now, one by one.',
        },
      },
    },
  },
  'plain-radix': {
    countDigits: {
      says: 'All digits of all keys are counted in one go.',
      isOneStep: true,
      writes: {
        counters: {
          line: 'store<u32>(counter, before)',
          says: 'Each counter is the number of keys with smaller digits.',
        },
      },
    },
    plainRadix: {
      says: 'A pass by the marked digit.',
      writes: {
        counters: {
          line: 'store<u32>(to + (<usize>place << 2), key)',
          says: 'The counter of its digit says where a key goes, and counts on.',
        },
      },
    },
  },
  'buffered-radix': {
    bufferedRadix: {
      says: 'A pass by the marked digit. Each digit has a buffer of one line of memory.',
      writes: {
        begins: {
          line: 'memory.copy(begins, places',
          says: 'Where the keys of a digit begin: its first line may belong to others, too.',
        },
        buffers: {
          line: 'store<u32>(buffer + (<usize>(place',
          says: 'A key waits in the buffer of its digit.',
        },
        to: {
          line: 'v128.store(line, v128.load(buffer));',
          says: 'A line is full, or the input at its end: the buffer’s keys leave.',
        },
      },
    },
  },
  'merge-sort': {
    sortVectors: {
      says: 'Vectors of four keys are compared lane by lane: four columns are sorted at once.',
      writes: {
        keys: {
          line: 'const a1 = i32x4.min_u(a, b)',
          says: 'Five comparisons sort the columns. Then columns become vectors.',
        },
      },
    },
    mergePass: {
      says: 'Each two runs become one, four keys at a time.',
      writes: {
        to: {
          line: 'v128.store(to, sortHalf(i32x4.min_u(next, mirrored)))',
          says: 'A network sorts eight keys. The lower four leave, the upper four stay.',
        },
      },
    },
  },
};

/** The notes on a dispatch. @throws Error where there are none */
export function notesOf({ kernel, entryPoint }: Dispatch): EntryNotes {
  const notes = NOTES[kernel]?.[entryPoint];
  if (notes === undefined) throw new Error(`there are no notes on ${kernel}, ${entryPoint}`);
  return { start: startOf(kernel, entryPoint), ...notes };
}

const startOf = (kernel: string, entryPoint: string): string =>
  TEXTS[kernel]?.file.endsWith('.ts') ? `function ${entryPoint}(` : `fn ${entryPoint}(`;

/** The lines of a kernel's text. @throws Error where it has none */
export function linesOf(kernel: string): readonly string[] {
  const text = TEXTS[kernel]?.text;
  if (text === undefined) throw new Error(`there is no text of ${kernel}`);
  return text.trimEnd().split('\n');
}

/**
 * The numbers, from 0, of the lines with `piece`: those within the entry point, or, where it calls
 * a function for it, those of the whole text.
 */
export function placesOf(
  { kernel, entryPoint }: Pick<Dispatch, 'kernel' | 'entryPoint'>,
  piece: string,
): number[] {
  const lines = linesOf(kernel);
  const start = lines.findIndex((line) => line.includes(startOf(kernel, entryPoint)));
  const end = lines.indexOf('}', start);
  const all = lines.flatMap((line, i) => (line.includes(piece) ? i : []));
  const within = all.filter((i) => i >= start && i < end);
  return within.length > 0 ? within : all;
}
