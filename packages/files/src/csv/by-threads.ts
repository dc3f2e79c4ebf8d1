/**
 * Reads a text by threads: each finds the rows of a stretch of it, and reads a part of a column.
 */

import type { MemoryBudget, StepAccount } from '../memory.js';
import type { ByteSource } from '../source.js';
import type { StoredColumn } from '../stored/column.js';
import { joinRows } from '../stored/join.js';
import { allocateBytes } from '../stored/take.js';
import type { OnProgress } from '../table.js';
import type { Threads, ThreadTask } from '../threads.js';
import type { TypedRows, Wanted } from './column.js';
import { type Dialect, LF } from './dialect.js';
import { type Lines, memoryOfColumns, type Stretch } from './scan.js';

/** Bytes of a stretch at most: how far reading is, is told after each. */
const STRETCH = 2 ** 25;
/** Bytes in which the end of a line is looked for. */
const WINDOW = 2 ** 16;
/** What a thread may take for the rows of a stretch, over its bytes, and besides. */
const TIMES = 4;
const SPARE = 2 ** 20;

/** What a scan by threads works with. */
interface Means {
  readonly threads: Threads;
  readonly memory: MemoryBudget;
  /** The share of the memory that the rows are charged to. */
  readonly account: StepAccount;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * The rows of the text that begins at byte `first` of `source`, in memory that threads share;
 * undefined if that takes too much memory, or if one of them meets something that the calling
 * thread should look at.
 */
export async function scanByThreads(
  source: ByteSource,
  first: number,
  dialect: Dialect,
  { threads, memory, account, onProgress }: Means,
): Promise<Lines | undefined> {
  const { size } = source;
  if (!memory.hasRoom((1 + TIMES) * size)) return undefined;
  const count = threads.count * Math.ceil(size / (threads.count * STRETCH));
  const stretches = await stretchesOf(source, first, count);
  if (stretches === undefined) return undefined;
  account.take(size);
  const bytes = allocateBytes(size, true);
  let completed = 0;
  const scan = async (stretch: Stretch): Promise<Lines> => {
    const most = TIMES * (stretch.end - stretch.first) + SPARE;
    const task: ThreadTask = { kind: 'scan', bytes, stretch, dialect, memory: most };
    const rows = (await threads.run(task)) as Omit<Lines, 'bytes' | 'dialect'>;
    completed += stretch.end - stretch.first;
    onProgress?.({ completed, total: size, unit: 'bytes' });
    return { dialect, bytes, ...rows };
  };
  const found = await Promise.allSettled(stretches.map(scan));
  const parts = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // A stretch whose first line lies within quotes makes the one before it end within quotes, which
  // fails there. So if none fails, all of them begin and end with lines.
  const [
    {
      sizes: { length: width },
    } = { sizes: [] },
  ] = parts;
  if (parts.length < stretches.length || parts.some(({ sizes }) => sizes.length !== width)) {
    account.give(size);
    return undefined;
  }
  const lines = joined(parts, account);
  if (first > 0) bytes.set(await source.read(0, first));
  account.take(memoryOfColumns(lines));
  return lines;
}

/** The text in `count` stretches, each of which begins with a line. */
async function stretchesOf(
  source: ByteSource,
  first: number,
  count: number,
): Promise<readonly Stretch[] | undefined> {
  const { size } = source;
  const bounds = [first];
  for (let i = 1; i < count; i++) {
    const from = first + Math.floor((i * (size - first)) / count);
    const window = await source.read(from, Math.min(from + WINDOW, size));
    const end = window.indexOf(LF);
    if (end === -1) return undefined;
    const bound = from + end + 1;
    // A long line may reach over several of these places.
    if (bound > (bounds.at(-1) as number) && bound < size) bounds.push(bound);
  }
  bounds.push(size);
  return bounds.slice(1).map((end, i) => ({ first: bounds[i] as number, end }));
}

function joined(parts: readonly Lines[], account: StepAccount): Lines {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const starts = new Uint32Array(account.allocate(4 * (rows + 1)).buffer);
  let row = 0;
  for (const part of parts) {
    // The last place of a part is the first one of the next.
    starts.set(part.starts, row);
    row += part.rows;
  }
  return {
    ...(parts[0] as Lines),
    starts,
    rows,
    sizes: (parts[0] as Lines).sizes.map((_, column) =>
      parts.reduce((sum, { sizes }) => sum + (sizes[column] as number), 0),
    ),
    areQuoted: parts.some(({ areQuoted }) => areQuoted),
  };
}

/** The kinds that values of a text have, the most general one last. */
const KINDS: readonly string[] = ['integer', 'float', 'text'];

/** Rows of a column by threads, each of which reads some of them. */
export async function readTextByThreads(
  lines: Lines,
  wanted: Wanted,
  threads: Threads,
  memory: number,
  account: StepAccount,
): Promise<TypedRows> {
  const { from, to } = wanted;
  const each = Math.ceil((to - from) / threads.count);
  const read = (as: Wanted['as']): Promise<StoredColumn[]> =>
    Promise.all(
      Array.from({ length: threads.count }, (_, i) => {
        const own = {
          from: Math.min(from + i * each, to),
          to: Math.min(from + (i + 1) * each, to),
        };
        const task: ThreadTask = {
          kind: 'parse',
          lines,
          wanted: { ...wanted, ...own, as },
          memory,
        };
        return threads.run(task) as Promise<StoredColumn>;
      }),
    );
  let parts = await read(wanted.as);
  const kinds = parts.map(({ type }) => KINDS.indexOf(type.kind));
  const most = Math.max(...kinds);
  // A part may have integers only where others have text.
  if (kinds.some((kind) => kind < most)) parts = await read(KINDS[most] as Wanted['as']);
  const { type } = parts[0] as StoredColumn;
  return { type, ...joinRows(parts, (size) => account.allocate(size)) };
}
