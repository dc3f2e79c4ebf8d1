/** The backend of the guide in packages/conformance/README.md, and wrong ones made of it. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './process.js';
import { NODE } from './project.js';

const README = fileURLToPath(new URL('../../../packages/conformance/README.md', import.meta.url));

/** A mistake: parts of mine.js, and what stands there instead. */
interface Mistake {
  /** As the guide's table says it: "a backend that …". */
  readonly flaw: string;
  readonly changes: readonly (readonly [part: string, by: string])[];
}

const IS_FLOAT = 'keys instanceof Float32Array || keys instanceof Float64Array';

/** Has floats compared as `map` changes them. */
const seeing = (map: string): Mistake['changes'] => [
  ['const column = { keys,', `const column = { keys: ${IS_FLOAT} ? keys.map(${map}) : keys,`],
];

const COMMIT = 'core.commit(results);';
const FIRST_PROGRESS = "onProgress?.({ phase: 'sort', completed: 0, total: 2 });";
const NEXT_PROGRESS = "onProgress?.({ phase: 'sort', completed: 1, total: 2 });";
const LAST_CHECK = 'goOn(request); // after every pause';

/** The flaw of a backend whose check never ends. */
export const HANGS = 'never answers once it was aborted';

const MISTAKES: readonly Mistake[] = [
  { flaw: 'changes the order of ties', changes: [['return a - b;', 'return b - a;']] },
  { flaw: 'takes −0 and +0 for equal', changes: seeing('(key) => key + 0') },
  {
    flaw: 'puts NaNs first',
    changes: seeing('(key) => (Number.isNaN(key) ? Number.NEGATIVE_INFINITY : key)'),
  },
  {
    flaw: 'turns every NaN into the same one',
    changes: [
      [
        COMMIT,
        `${COMMIT}
        const [keys] = columns;
        if (${IS_FLOAT}) keys.forEach((key, i) => { if (Number.isNaN(key)) keys[i] = NaN; });`,
      ],
    ],
  },
  {
    flaw: "ignores `order: 'descending'`",
    changes: [['order: shape.order', "order: 'ascending'"]],
  },
  {
    flaw: 'leaves out the last of 4,097 keys',
    changes: [['subarray(starts[i], end)', 'subarray(starts[i], end === 4097 ? 4096 : end)']],
  },
  {
    flaw: 'looks only at the high word of 64 bits',
    changes: [['if (lows[a] !== lows[b])', 'if (highs.length === 0 && lows[a] !== lows[b])']],
  },
  { flaw: 'sorts segments together', changes: [['request.segments ?? [0]', '[0]']] },
  { flaw: 'ignores `keyBits`', changes: [['keyBits: shape.keyBits', 'keyBits: undefined']] },
  {
    flaw: 'takes the last column for the first',
    changes: [['columns.map((keys)', '[...columns].reverse().map((keys)']],
  },
  {
    flaw: "gives each row's rank for `argsort`",
    changes: [
      [
        'const permutation = isArgsort ? rows : undefined;',
        `const ranks = new Uint32Array(rows.length);
        rows.forEach((row, i) => { ranks[row] = i; });
        const permutation = isArgsort ? ranks : undefined;`,
      ],
    ],
  },
  {
    flaw: 'writes a byte past the end of its view',
    changes: [
      [
        COMMIT,
        `${COMMIT}
        const { buffer, byteOffset, byteLength } = columns[0];
        new Uint8Array(buffer)[byteOffset + byteLength] = 1;`,
      ],
    ],
  },
  {
    flaw: 'moves keys without their values',
    changes: [['if (values !== undefined) results.push', 'if (false) results.push']],
  },
  {
    flaw: 'moves values without their keys',
    changes: [[COMMIT, `if (values !== undefined) results.shift(); ${COMMIT}`]],
  },
  {
    flaw: 'ignores an abort',
    changes: [['assertGoesOn(request)', 'assertGoesOn({ ...request, signal: undefined })']],
  },
  {
    flaw: 'writes half of the result before it sees an abort',
    changes: [
      [
        LAST_CHECK,
        `if (request.signal?.aborted) columns[0].subarray(0, shape.length / 2).sort();
        ${LAST_CHECK}`,
      ],
    ],
  },
  {
    flaw: HANGS,
    changes: [
      [
        LAST_CHECK,
        `if (request.signal?.aborted) await new Promise(() => {});
        ${LAST_CHECK}`,
      ],
    ],
  },
  {
    flaw: 'keeps a listener on a signal',
    changes: [
      [FIRST_PROGRESS, `request.signal?.addEventListener('abort', () => {});\n${FIRST_PROGRESS}`],
    ],
  },
  {
    flaw: 'never reports progress',
    changes: [
      [FIRST_PROGRESS, ''],
      [NEXT_PROGRESS, ''],
    ],
  },
  {
    flaw: 'goes back in its progress',
    changes: [[FIRST_PROGRESS, FIRST_PROGRESS.replace('completed: 0', 'completed: 2')]],
  },
  { flaw: 'serves requests after `close()`', changes: [['isClosed = true;', '']] },
];

/** A wrong backend. */
export interface Toy {
  readonly flaw: string;
  /** The check that the guide names for it, as a regular expression. */
  readonly caughtBy: string;
}

export interface Guide {
  /** The guide's programs, by name of file. */
  readonly files: ReadonlyMap<string, string>;
  readonly toys: readonly Toy[];
}

/** Reads the guide. */
export async function readGuide(): Promise<Guide> {
  const text = await readFile(README, 'utf8');
  const blocks = text.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs);
  const files = new Map(Array.from(blocks, ([, name, code]) => [name as string, code as string]));
  const [, table = ''] = text.split('| a backend that | is caught by |\n| --- | --- |\n');
  const rows = table.split('\n\n', 1)[0]?.matchAll(/^\| (.+) \| (.+) \|$/gm) ?? [];
  const toys = Array.from(rows, ([, flaw, check]) => ({
    flaw: flaw as string,
    caughtBy: `^${(check as string).replaceAll(/[()]/g, '\\$&').replace('…', '.*')}$`,
  }));
  return { files, toys };
}

/** The file of a toy. */
export function fileOf(flaw: string): string {
  const place = MISTAKES.findIndex((mistake) => mistake.flaw === flaw);
  if (place < 0) throw new Error(`the guide names a mistake that no toy makes: '${flaw}'`);
  return `./${place}.js`;
}

/** Milliseconds for a check of a backend that hangs. */
export const SHORT = 2000;

/** The trial of a toy by the checks of names like `checks`. */
export const trialOf = ({ flaw }: Toy, checks: string): Trial => ({
  file: fileOf(flaw),
  checks,
  ...(flaw === HANGS && { timeout: SHORT }),
});

/** Writes the guide's programs and all toys into `folder`. */
export async function writeToys({ files }: Guide, folder: string): Promise<void> {
  for (const [name, code] of files) await writeFile(join(folder, name), code);
  const mine = files.get('mine.js');
  if (mine === undefined) throw new Error('the guide has no mine.js');
  for (const { flaw, changes } of MISTAKES) {
    let code = mine;
    for (const [part, by] of changes) {
      if (code.split(part).length !== 2) throw new Error(`${flaw}: mine.js has '${part}' not once`);
      code = code.replace(part, () => by);
    }
    await writeFile(join(folder, fileOf(flaw)), code);
  }
}

/** The flaws that toys are made with. */
export const FLAWS: readonly string[] = MISTAKES.map(({ flaw }) => flaw);

/** A backend, and the checks for it. */
export interface Trial {
  readonly file: string;
  /** A regular expression for their names. */
  readonly checks: string;
  /** Milliseconds for each. Default: 60,000. */
  readonly timeout?: number;
}

/** What came of some checks of a backend. */
export interface Verdict {
  readonly passed: number;
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

/** Puts backends in `folder` through those checks whose names match, in a process of its own. */
export async function tryToys(
  folder: string,
  tried: readonly Trial[],
  seed: number,
): Promise<Verdict[]> {
  const env = { KEYSWEEP_SEED: `${seed}` };
  const options = { cwd: folder, env };
  const { code, stdout, stderr } = await run(NODE, ['toys.mjs', JSON.stringify(tried)], options);
  if (code !== 0) throw new Error(`toys.mjs ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}
