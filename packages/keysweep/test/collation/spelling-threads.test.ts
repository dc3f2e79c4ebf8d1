/** Strings that threads spell, beside the loop in plain TypeScript, which knows nothing of them. */

import type { Worker } from 'node:worker_threads';
import { runSeed } from '@keysweep/conformance/data';
import {
  type Backend,
  BackendFailedError,
  ClosedError,
  SPELT_STRINGS,
  SPELT_UNITS,
  type SpellingPlan,
  type SpellRequest,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { argsort, builtin, createSorter } from 'keysweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { testRandom } from '../../../../tools/test/random.js';
import { type Alphabet, learnAlphabet } from '../../src/collation/alphabet.js';
import { TextRoom } from '../../src/collation/bytes.js';
import { PlainSpeller } from '../../src/collation/speller.js';

drawTests(1 / 2);

const SEED = runSeed();
const random = testRandom();
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

/** So many strings that threads spell some of them, and leave others. */
const MANY = 150_000;

const SYLLABLES = 'an be co dör é fi gå há ız jo ch lu mär 7 12 og ß x y z - 日 😀 Æ'.split(' ');

/** Most are distinct: those of a column would get numbers otherwise, and only few be spelt. */
const STRINGS = Array.from({ length: MANY }, () => {
  const own = Array.from({ length: random.below(6) }, () => oneOf(SYLLABLES)).join('');
  return random.below(50) === 0 ? own : `Nr ${own}${random.below(2 ** 15)}`;
});

const stringsOf = (count: number): string[] => STRINGS.slice(0, count);

/** What is known of strings once they are spelt. */
interface Known {
  readonly symbolCount: number;
  readonly rests: readonly number[];
  readonly numbers: readonly number[];
  readonly words: readonly number[];
  readonly others: readonly number[];
  readonly seen: readonly number[];
}

const planOf = ({ symbols }: Alphabet): SpellingPlan => ({
  stem: Uint8Array.from('nr', (letter) => (symbols[letter.charCodeAt(0)] as number) >> 8),
  perHalf: 4,
});

/** Adds up what became of texts. */
class Sum {
  symbolCount = 0;
  readonly rests: number[] = [];
  readonly numbers: number[] = [];
  readonly words: number[] = [];
  readonly others: number[] = [];
  seen: number[] = [];

  readonly take: SpellRequest['take'] = (spelt, seen) => {
    for (const some of spelt) {
      this.symbolCount += some.symbolCount;
      for (const name of ['rests', 'numbers', 'words', 'others'] as const) {
        for (const value of some[name]) this[name].push(value);
      }
    }
    this.seen = Array.from(seen, (value, i) => value | (this.seen[i] ?? 0));
  };
}

const knownBy = ({ take: _, ...sum }: Sum): Known => sum;

/** What two say otherwise. `toEqual` would look for minutes at lists that differ so often. */
function differences(a: Known, b: Known): readonly string[] {
  const bytesOf = (value: number | readonly number[]) =>
    Buffer.from(Float64Array.from(typeof value === 'number' ? [value] : value).buffer);
  const names = Object.keys(a) as (keyof Known)[];
  return names.filter((name) => !bytesOf(a[name]).equals(bytesOf(b[name])));
}

/** By the plain loop, without any thread: the first `count` strings. */
function speltPlainly(strings: readonly string[], alphabet: Alphabet, count: number): Known {
  const speller = new PlainSpeller(alphabet);
  const room = new TextRoom();
  const sum = new Sum();
  for (let from = 0; from < count; ) {
    const text = room.textOf(strings.slice(0, count), from);
    if (text === undefined) throw new Error('a string is too long');
    sum.take([speller.spell(text, planOf(alphabet), from, 0)], speller.seen);
    from += text.lengths.length;
  }
  return knownBy(sum);
}

function requestOf(
  strings: readonly string[],
  alphabet: Alphabet,
  first: number,
  given: Partial<SpellRequest> & Pick<SpellRequest, 'take'>,
): SpellRequest {
  const room = new TextRoom();
  return {
    letters: alphabet,
    plan: planOf(alphabet),
    first,
    count: strings.length - first,
    signal: undefined,
    text: (from) => room.textOf(strings, from),
    ...given,
  };
}

/** By threads, request after request, until they leave the rest. */
async function speltByThreads(backend: Backend, strings: readonly string[], alphabet: Alphabet) {
  const sum = new Sum();
  const spell = () =>
    backend.spell?.(requestOf(strings, alphabet, sum.rests.length, { take: sum.take }));
  while (await spell());
  return knownBy(sum);
}

const alphabetOf = (locale: string, options: Intl.CollatorOptions = {}): Alphabet =>
  learnAlphabet(new Intl.Collator(locale, options), stringsOf(2000)) as Alphabet;

const alphabets = [
  alphabetOf('en'),
  alphabetOf('sv', { numeric: true, ignorePunctuation: true }),
  alphabetOf('cs', { sensitivity: 'base' }),
];

type Spell = (request: SpellRequest) => Promise<boolean>;

/** Has `change` called in place of a backend's own `spell`, which it is given. */
function changeSpell(
  backend: Backend,
  change: (request: SpellRequest, spell: Spell) => Promise<boolean>,
): void {
  const spell = backend.spell?.bind(backend) as Spell;
  backend.spell = (request) => change(request, spell);
}

/** Has the threads of a backend started. */
async function started(backend: Backend): Promise<Backend> {
  await backend.warmUp(2 ** 20);
  return backend;
}

let backend: Backend;
beforeAll(async () => {
  backend = await started(cpu({ threads: 2 }));
});
afterAll(() => backend.close());

describe(`threads that spell strings (KEYSWEEP_SEED=${SEED})`, () => {
  it('say of every string what the plain loop says, with each alphabet', async () => {
    for (const alphabet of [...alphabets, alphabets[0] as Alphabet]) {
      const strings = stringsOf(MANY);
      const known = await speltByThreads(backend, strings, alphabet);
      // The last ones are too few for them.
      expect(known.rests.length).toBeGreaterThan(MANY - 2 ** 16);
      expect(differences(known, speltPlainly(strings, alphabet, known.rests.length))).toEqual([]);
      expect(known.seen).toContain(1);
    }
  });

  it('say the same with any number of threads', async () => {
    const strings = stringsOf(100_000);
    const [alphabet] = alphabets as [Alphabet];
    for (const threads of [3, 4]) {
      const more = await started(cpu({ threads }));
      const known = await speltByThreads(more, strings, alphabet);
      await more.close();
      expect(known.rests.length).toBeGreaterThan(2 ** 15);
      expect(differences(known, speltPlainly(strings, alphabet, known.rests.length))).toEqual([]);
    }
  });

  it('have room for the longest texts, and leave a string that is too long', async () => {
    const [alphabet] = alphabets as [Alphabet];
    // 20 texts of the most units, each of three bytes; then one that no text has.
    const strings = stringsOf(2 ** 17);
    for (let i = 0; i < 20; i++) strings[i] = '日'.repeat(SPELT_UNITS);
    strings[20] = 'e'.repeat(SPELT_UNITS + 1);
    const known = await speltByThreads(backend, strings, alphabet);
    expect(known.rests.length).toBe(20);
    expect(differences(known, speltPlainly(strings, alphabet, 20))).toEqual([]);
  });

  it('leave strings that are few, or that come while they have other work', async () => {
    const [alphabet] = alphabets as [Alphabet];
    const sum = new Sum();
    const few = requestOf(stringsOf(SPELT_STRINGS), alphabet, 0, { take: sum.take });
    expect(await backend.spell?.(few)).toBe(false);
    const many = stringsOf(MANY);
    const one = backend.spell?.(requestOf(many, alphabet, 0, { take: sum.take }));
    const other = backend.spell?.(
      requestOf(many, alphabet, 0, { take: () => expect.unreachable() }),
    );
    expect(await Promise.all([one, other])).toEqual([true, false]);
  });

  it('are not waited for before they have started, and plain code has none', async () => {
    const [alphabet] = alphabets as [Alphabet];
    const take = (): never => expect.unreachable();
    const strings = stringsOf(2 ** 16);
    for (const options of [{}, { threads: 1 }, { kernels: 'plain' as const }]) {
      const cold = cpu({ threads: 2, ...options });
      expect(await cold.spell?.(requestOf(strings, alphabet, 0, { take }))).toBe(false);
      if ('threads' in options || 'kernels' in options) await cold.warmUp(2 ** 20);
      expect(await cold.spell?.(requestOf(strings, alphabet, 0, { take }))).toBe(false);
      await cold.close();
      const late = cold.spell?.(requestOf(strings, alphabet, 0, { take }));
      await expect(late).rejects.toThrow(ClosedError);
    }
    const released = await started(cpu({ threads: 2 }));
    await released.release();
    expect(await released.spell?.(requestOf(strings, alphabet, 0, { take }))).toBe(false);
    await released.close();
  });

  it('stop at an abort, or if a text cannot be made, and go on with other strings', async () => {
    const [alphabet] = alphabets as [Alphabet];
    const strings = stringsOf(2 ** 17);
    const room = new TextRoom();
    const reason = new Error('enough');
    const take = (): never => expect.unreachable();
    for (const at of [0, 5]) {
      const abort = new AbortController();
      let texts = 0;
      const text = (how: () => void) => (from: number) => {
        if (texts++ === at) how();
        return room.textOf(strings, from);
      };
      const aborted = requestOf(strings, alphabet, 0, {
        take,
        signal: abort.signal,
        text: text(() => abort.abort(reason)),
      });
      await expect(backend.spell?.(aborted)).rejects.toBe(reason);
      texts = 0;
      const thrown = text(() => {
        throw reason;
      });
      const failing = requestOf(strings, alphabet, 0, { take, text: thrown });
      await expect(backend.spell?.(failing)).rejects.toBe(reason);
      const known = await speltByThreads(backend, strings, alphabet);
      expect(differences(known, speltPlainly(strings, alphabet, known.rests.length))).toEqual([]);
    }
  });

  it('may die: then nothing is taken, and a column is ordered without them', async () => {
    const threads = new Set<Worker>();
    const watch = (worker: Worker): void => void threads.add(worker);
    process.on('worker', watch);
    const own = await started(cpu({ threads: 2 }));
    process.off('worker', watch);
    let spelt = 0;
    let texts = 0;
    changeSpell(own, (request, spell) => {
      spelt++;
      const text = (from: number) => {
        if (texts++ === 3) for (const thread of threads) void thread.terminate();
        // So that it has ended before all strings are spelt.
        if (texts < 10) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        return request.text(from);
      };
      return spell({ ...request, text });
    });
    const warnings: string[] = [];
    const sorter = await createSorter({
      backends: [own, builtin()],
      onWarning: ({ code, cause }) => {
        expect((cause as Error).name).toBe(BackendFailedError.name);
        warnings.push(code);
      },
    });
    const list = stringsOf(100_000);
    const collator = new Intl.Collator('sv');
    const order = await sorter.argsort({ keys: list, collator });
    await sorter.close();
    expect(order).toEqual(expected(list, collator));
    // The calling thread may have spelt all by itself before it noticed.
    expect(spelt).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThanOrEqual(1);
  });
});

function expected(list: readonly string[], { compare }: Intl.Collator): Uint32Array {
  const rows = Uint32Array.from(list.keys());
  return rows.sort((a, b) => compare(list[a] as string, list[b] as string) || a - b);
}

describe(`columns of which threads spell strings (KEYSWEEP_SEED=${SEED})`, () => {
  it('have the permutation of compare, each of its own collator', async () => {
    const own = await started(cpu({ threads: 2 }));
    const spelt: boolean[] = [];
    let onSpell = (): void => {};
    changeSpell(own, async (request, spell) => {
      const isSpelling = spell(request);
      onSpell();
      const isSpelt = await isSpelling;
      spelt.push(isSpelt);
      return isSpelt;
    });
    const sorter = await createSorter({ backends: [own, builtin()] });
    const list = stringsOf(80_000);
    const collators = ['sv', 'en', 'da'].map((locale) => new Intl.Collator(locale));
    const [first] = collators as [Intl.Collator];
    const alone = await sorter.argsort({ keys: list, collator: first });
    const expectedOf = collators.map((collator) => expected(list, collator));
    expect(alone).toEqual(expectedOf[0]);
    expect(spelt).toContain(true);
    const orders = await Promise.all(
      collators.map((collator) => sorter.argsort({ keys: list, collator })),
    );
    expect(orders).toEqual(expectedOf);
    const abort = new AbortController();
    onSpell = () => abort.abort(new Error('enough'));
    const aborted = sorter.argsort({ keys: list, collator: first }, { signal: abort.signal });
    await expect(aborted).rejects.toThrow('enough');
    const closing = sorter.argsort({ keys: list, collator: first });
    await Promise.all([expect(closing).rejects.toThrow(ClosedError), sorter.close()]);
  });

  it('are ordered by the shared sorter, cold and warm', async () => {
    const list = stringsOf(80_000);
    const collator = new Intl.Collator('da');
    const rows = expected(list, collator);
    for (let i = 0; i < 3; i++) expect(await argsort({ keys: list, collator })).toEqual(rows);
  });
});
