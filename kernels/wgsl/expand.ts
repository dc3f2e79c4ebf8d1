/**
 * The expansion step between the `.wgsl` files and the shaders: what WGSL lacks, as comment lines,
 * so that the files stay plain WGSL to an editor.
 *
 *   //#include NAME.wgsl      the named file's text, expanded as if it stood here
 *   //#if EXPRESSION          keeps the lines up to //#else or //#end only where it holds
 *   //#unroll i in COUNT      repeats the lines up to //#end for i = 0 to COUNT - 1: the word `i`
 *                             becomes the number, and an identifier's ending `_i` becomes `_0`,
 *                             `_1`, …; an ending `_inext` becomes `_1`, `_2`, …
 *   //#pairs a b in COUNT by STEP
 *                             as unroll does, for all pairs of numbers below COUNT that differ in
 *                             the bit STEP alone: `a` is the lower one. With `turned SIZE` at the
 *                             end it is the higher one if they have the bit SIZE; with `crossed
 *                             BITS` they differ in these lower bits, too: mirror images
 *
 * EXPRESSION is NAME, NAME == NUMBER or NAME > NUMBER; COUNT is a number or a NAME; names are
 * those of the constants, which also come in front of the shader as `const NAME = …u;`, behind its
 * `enable` and `requires`, which WGSL wants first. Blocks nest, and so do endings: `x_i_j` becomes
 * `x_0_0`, `x_0_1`, …
 *
 * Why unrolled: a thread's keys in an array with loops over it end in slow memory on some drivers.
 * As scalars in straight lines the same kernels ran 1.5 times as fast on an NVIDIA H200.
 */

/** Numbers that a shader is specialised with, by name. */
export type Constants = Readonly<Record<string, number>>;

/**
 * Expands `name`, one of `files`, with `constants` in front. @throws Error that names file and
 * line.
 */
export function expand(
  name: string,
  files: Readonly<Record<string, string>>,
  constants: Constants,
): string {
  const consts = Object.entries(constants).map(([key, value]) => `const ${key} = ${value}u;`);
  const lines = new Expansion(files, constants).file(name);
  const isDirective = (line: string): boolean => /^(enable|requires)\b/.test(line);
  const directives = lines.filter(isDirective);
  const code = lines.filter((line) => !isDirective(line));
  return [...directives, ...consts, ...code].join('\n');
}

interface Line {
  readonly text: string;
  /** "NAME.wgsl:12", for errors. */
  readonly where: string;
}

const DIRECTIVE = /^\s*\/\/#(include|if|else|unroll|pairs|end)\b\s*(.*?)\s*$/;

class Expansion {
  readonly #files: Readonly<Record<string, string>>;
  readonly #constants: Constants;

  constructor(files: Readonly<Record<string, string>>, constants: Constants) {
    this.#files = files;
    this.#constants = constants;
  }

  file(name: string, where = name): string[] {
    const text = this.#files[name];
    if (text === undefined) throw new Error(`${where}: there is no file ${name}`);
    return this.#lines(
      text.split('\n').map((line, i) => ({ text: line, where: `${name}:${i + 1}` })),
    );
  }

  #lines(lines: readonly Line[]): string[] {
    const out: string[] = [];
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] as Line;
      const [, word, rest = ''] = DIRECTIVE.exec(line.text) ?? [];
      if (word === undefined) out.push(line.text);
      else if (word === 'include') out.push(...this.file(rest, line.where));
      else {
        const { otherwise, end } = findEnd(lines, at);
        const body = lines.slice(at + 1, otherwise ?? end);
        if (word === 'unroll') out.push(...this.#unroll(rest, line.where, body));
        else if (word === 'pairs') out.push(...this.#pairs(rest, line.where, body));
        else if (this.#holds(rest, line.where)) out.push(...this.#lines(body));
        else if (otherwise !== undefined) out.push(...this.#lines(lines.slice(otherwise + 1, end)));
        at = end;
      }
    }
    return out;
  }

  #unroll(rest: string, where: string, body: readonly Line[]): string[] {
    const [, index, count] = /^(\w+) in (\w+)$/.exec(rest) ?? [];
    if (index === undefined) throw new Error(`${where}: expected '//#unroll NAME in COUNT'`);
    const once = this.#lines(body);
    return Array.from({ length: this.#value(count as string, where) }, (_, i) =>
      once.map((line) => substitute(line, index, i)),
    ).flat();
  }

  #pairs(rest: string, where: string, body: readonly Line[]): string[] {
    const pattern = /^(\w+) (\w+) in (\w+) by (\d+)(?: turned (\d+))?(?: crossed (\d+))?$/;
    const [, a, b, count, by, turned = 0, crossed = 0] = pattern.exec(rest) ?? [];
    if (a === undefined || b === undefined) {
      throw new Error(`${where}: expected '//#pairs NAME NAME in COUNT by STEP'`);
    }
    const once = this.#lines(body);
    const step = Number(by);
    return Array.from({ length: this.#value(count as string, where) }, (_, i) => {
      if ((i & step) !== 0) return [];
      const other = (i + step) ^ Number(crossed);
      const [first, second] = (i & Number(turned)) === 0 ? [i, other] : [other, i];
      return once.map((line) => substitute(substitute(line, a, first), b, second));
    }).flat();
  }

  #holds(expression: string, where: string): boolean {
    const [, name, relation, number] = /^(\w+)(?: (==|>) (\d+))?$/.exec(expression) ?? [];
    if (name === undefined) throw new Error(`${where}: cannot read the condition '${expression}'`);
    const value = this.#value(name, where);
    if (relation === undefined) return value !== 0;
    return relation === '==' ? value === Number(number) : value > Number(number);
  }

  #value(text: string, where: string): number {
    const value = /^\d+$/.test(text) ? Number(text) : this.#constants[text];
    if (value === undefined) throw new Error(`${where}: there is no constant ${text}`);
    return value;
  }
}

/** `line` with `number` in the place of the index `name`, also where a name ends with it. */
const substitute = (line: string, name: string, number: number): string =>
  line
    .replace(new RegExp(`_${name}(?![A-Za-z0-9])`, 'g'), `_${number}`)
    .replace(new RegExp(`_${name}next(?![A-Za-z0-9])`, 'g'), `_${number + 1}`)
    .replace(new RegExp(`\\b${name}\\b`, 'g'), `${number}u`);

/**
 * The line of the //#end, and of the //#else if there is one, that belong to the block beginning
 * at `at`.
 */
function findEnd(
  lines: readonly Line[],
  at: number,
): { otherwise: number | undefined; end: number } {
  let depth = 0;
  let otherwise: number | undefined;
  for (let i = at; i < lines.length; i++) {
    const word = DIRECTIVE.exec((lines[i] as Line).text)?.[1];
    if (word === 'if' || word === 'unroll' || word === 'pairs') depth++;
    else if (word === 'else' && depth === 1) otherwise = i;
    else if (word === 'end' && --depth === 0) return { otherwise, end: i };
  }
  throw new Error(`${(lines[at] as Line).where}: this block has no //#end`);
}
