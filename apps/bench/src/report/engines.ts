/** The table of the engines that keysweep was tried in, from `npm run test:everywhere`. */

import { table } from './markdown.js';

/** See apps/everywhere/test/engines/record.ts, which writes it. */
export interface EnginesRecord {
  readonly rows: readonly {
    readonly engine: string;
    readonly version: string;
    readonly way: string;
    /** Checks that passed, and those that failed. */
    readonly passed: number;
    readonly failed: readonly string[];
    readonly hasSharedMemory: boolean;
    /** By backend: its description, or why it is not there. */
    readonly backends: Readonly<Record<string, { readonly works: boolean; readonly text: string }>>;
  }[];
}

type Row = EnginesRecord['rows'][number];

/** "Node 24" and its version: "Node 24.21.0". */
const nameOf = ({ engine, version }: Row): string => `${engine.replace(/ \d+$/, '')} ${version}`;

/** Gives each reason a number, by which cells name it. */
class Reasons {
  readonly #texts: string[] = [];

  /** Only the first line: WebKit adds where in the code it was. */
  numberOf(said: string): string {
    const [text = ''] = said.split('\n');
    if (!this.#texts.includes(text)) this.#texts.push(text);
    return `(${this.#texts.indexOf(text) + 1})`;
  }

  toString(): string {
    return this.#texts.map((text, i) => `${i + 1}. ${text}`).join('\n');
  }
}

/** "2 threads", or why there is only one. */
function threadsIn({ backends: { cpu } }: Row, reasons: Reasons): string {
  if (cpu?.works !== true) return `no ${reasons.numberOf(cpu?.text ?? 'it was not tried')}`;
  const { means, why, threads } =
    /^(?<means>.*?)(?:: (?<why>.*))?, (?:up to )?(?<threads>\d+) threads?$/s.exec(cpu.text)
      ?.groups ?? {};
  if (Number(threads) > 1) return `${threads}`;
  return `1 ${reasons.numberOf(why ? `${means}, because ${why}` : `${means}`)}`;
}

/** "yes", also on a GPU that is computed in software; else why not. */
function gpu(row: Row, name: 'webgpu' | 'webgl2', reasons: Reasons): string {
  const { works = false, text = 'it was not tried' } = row.backends[name] ?? {};
  return works ? 'yes' : `no ${reasons.numberOf(text)}`;
}

/** A row for each trial. The reasons stand below, because many trials share them. */
export function enginesTable({ rows }: EnginesRecord): string {
  const reasons = new Reasons();
  const lines = rows.map((row) => [
    nameOf(row),
    row.way,
    `${row.passed + row.failed.length}`,
    `${row.failed.length}`,
    threadsIn(row, reasons),
    row.hasSharedMemory ? 'yes' : 'no',
    gpu(row, 'webgpu', reasons),
    gpu(row, 'webgl2', reasons),
  ]);
  const titles = ['in', 'as', 'checks', 'failed', 'threads', 'shared memory', 'WebGPU', 'WebGL2'];
  return `${table(titles, lines, 'text')}\n\n${reasons}`;
}
