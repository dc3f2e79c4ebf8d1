/** RFC 4180, read character by character: slow, and with no code of the package. */

/** How a text is read. */
export interface Reading {
  readonly delimiter: string;
  readonly hasQuotes: boolean;
  readonly hasHeader: boolean;
}

/** A row: its own bytes with the end of its line, as Latin-1, and what its fields say. */
interface Row {
  readonly raw: string;
  readonly fields: readonly string[];
}

/** A text as rows, or the line that is wrong. */
export type Parsed =
  | { readonly bom: string; readonly names: readonly string[]; readonly all: readonly Row[] }
  | { readonly wrongLine: number };

const BOM = '\xef\xbb\xbf';

/** The rows of `text`, whose characters are bytes. A last line without an end gets one. */
export function parse(text: string, { delimiter, hasQuotes, hasHeader }: Reading): Parsed {
  const bom = text.startsWith(BOM) ? BOM : '';
  const rows: Row[] = [];
  let at = bom.length;
  const lineOf = (place: number): number => text.slice(0, place).split('\n').length;
  const isEnd = (place: number): boolean =>
    place >= text.length || text[place] === '\n' || text.startsWith('\r\n', place);
  while (at < text.length) {
    const start = at;
    const fields: string[] = [];
    for (;;) {
      let value = '';
      if (hasQuotes && text[at] === '"') {
        const opened = at++;
        for (;;) {
          if (at >= text.length) return { wrongLine: lineOf(opened) };
          if (text[at] !== '"') value += text[at++];
          else if (text[at + 1] === '"') {
            value += '"';
            at += 2;
          } else break;
        }
        at++;
        if (!isEnd(at) && text[at] !== delimiter) return { wrongLine: lineOf(at) };
      } else {
        while (!isEnd(at) && text[at] !== delimiter) value += text[at++];
      }
      fields.push(value);
      if (isEnd(at)) break;
      at++;
    }
    if (text[at] === '\r') at++;
    at++;
    if (fields.length !== (rows[0]?.fields.length ?? fields.length)) {
      return { wrongLine: lineOf(start) };
    }
    rows.push({ raw: text.slice(start, at), fields });
  }
  const [first] = rows;
  const last = rows.at(-1);
  if (first !== undefined && last !== undefined && !last.raw.endsWith('\n')) {
    const ending = first.raw.endsWith('\r\n') ? '\r\n' : '\n';
    rows[rows.length - 1] = { ...last, raw: last.raw + ending };
  }
  const names = hasHeader ? (first?.fields ?? []) : (first?.fields ?? []).map((_, i) => `${i + 1}`);
  return { bom, names, all: rows };
}

/** What a column holds: its values, with null for empty fields. */
export type Values =
  | { readonly kind: 'integer'; readonly values: readonly (bigint | null)[] }
  | { readonly kind: 'float'; readonly values: readonly (number | null)[] }
  | { readonly kind: 'text'; readonly values: readonly (string | null)[] };

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORD = /^([+-]?)(nan|inf|infinity)$/i;

/** The values of fields: integers of 64 bits or numbers, if all are, else text. */
export function valuesOf(fields: readonly string[]): Values {
  const numbers = fields.map((field) => field.replace(/^[ \t]+|[ \t]+$/g, ''));
  const isNull = (i: number): boolean => fields[i] === '';
  const integers = numbers.map((text) =>
    INTEGER.test(text) ? BigInt(text.replace('+', '')) : undefined,
  );
  if (
    integers.every((one, i) => isNull(i) || (one !== undefined && one === BigInt.asIntN(64, one)))
  ) {
    return {
      kind: 'integer',
      values: integers.map((one, i) => (isNull(i) ? null : (one ?? null))),
    };
  }
  const floats = numbers.map((text) => {
    if (NUMBER.test(text)) return Number(text);
    const [, sign, word] = WORD.exec(text) ?? [];
    if (word === undefined) return undefined;
    if (word.toLowerCase() === 'nan') return Number.NaN;
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  });
  if (floats.every((one, i) => isNull(i) || one !== undefined)) {
    return { kind: 'float', values: floats.map((one, i) => (isNull(i) ? null : (one ?? null))) };
  }
  return { kind: 'text', values: fields.map((field, i) => (isNull(i) ? null : field)) };
}
