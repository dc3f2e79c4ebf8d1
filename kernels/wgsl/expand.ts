/**
 * The expansion step between the `.wgsl` files and the shaders: what WGSL lacks, as comment lines,
 * so that the files stay plain WGSL to an editor.
 *
 *   //#include NAME.wgsl      the named file's text, expanded as if it stood here
 *   //#if EXPRESSION          keeps the lines up to //#else or //#end only where it holds
 *   //#unroll i in COUNT      repeats the lines up to //#end for i = 0 to COUNT - 1: the word `i`
 *                             becomes the number, and an identifier's ending `_i` becomes `_0`,
 *                             `_1`, …; an ending `_inext` becomes `_1`, `_2`, …
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

const DIRECTIVE = /^\s*\/\/#(include|if|else|unroll|end)\b\s*(.*?)\s*$/;

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
    const suffix = new RegExp(`_${index}(?![A-Za-z0-9])`, 'g');
    const suffixNext = new RegExp(`_${index}next(?![A-Za-z0-9])`, 'g');
    const bare = new RegExp(`\\b${index}\\b`, 'g');
    return Array.from({ length: this.#value(count as string, where) }, (_, i) =>
      once.map((line) =>
        line
          .replace(suffix, `_${i}`)
          .replace(suffixNext, `_${i + 1}`)
          .replace(bare, `${i}u`),
      ),
    ).flat();
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
    if (word === 'if' || word === 'unroll') depth++;
    else if (word === 'else' && depth === 1) otherwise = i;
    else if (word === 'end' && --depth === 0) return { otherwise, end: i };
  }
  throw new Error(`${(lines[at] as Line).where}: this block has no //#end`);
}
