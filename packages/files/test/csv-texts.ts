/** Random tables of text, and how they are damaged. */

import type { Random } from '@keysweep/conformance/data';
import type { Reading } from './csv-oracle.js';

/** A text, of which each character is a byte, and how it is meant. */
export interface Text extends Reading {
  readonly text: string;
}

type Make = () => string;

/** A table of up to `rows` rows, with every kind of column, of quotes and of line ends. */
export function randomText(random: Random, rows: number): Text {
  const hasQuotes = random.below(4) > 0;
  const delimiter = hasQuotes ? ([',', ';', '|', ' ', '\t'][random.below(5)] ?? ',') : '\t';
  const ending = random.below(3) === 0 ? '\r\n' : '\n';
  const choose = (choices: readonly string[]): string =>
    choices[random.below(choices.length)] as string;
  const kinds: readonly Make[] = [
    () => `${random.below(20) - 10}`,
    () => `${random.below(2) === 0 ? '-' : ''}${random.below(2 ** 31)}${random.below(2 ** 31)}`,
    () => choose(['9223372036854775807', '-9223372036854775808', '0', '-0', '007', '+5']),
    () => choose(['9223372036854775808', '-9223372036854775809', '1', '18446744073709551615']),
    () => `${random.below(1000) / 100}`,
    () => `${(random.below(2 ** 31) - 2 ** 30) * 1.1e-7}`,
    () =>
      choose(['1e3', '.5', '2.', '-0.0', '1E-400', '1e400', '0.1234567890123456789', '-.25e+1']),
    () => choose(['NaN', 'inf', '-Infinity', '3', '-nan']),
    () => choose(['a', 'A', 'aa', '\xc3\xa4', 'b\0', 'z'.repeat(random.below(60)), 'b c']),
    () => `2026-0${1 + random.below(9)}-1${random.below(10)}`,
    () => choose(['1', '2', 'x', '3']),
  ];
  const own = Array.from({ length: 1 + random.below(5) }, () => kinds[random.below(kinds.length)]);
  const quoted = (value: string): string => {
    const mustBe = value.includes(delimiter) || /["\n]/.test(value);
    if (!hasQuotes) return value.replaceAll(delimiter, '_').replace(/\n/g, '_');
    return mustBe || random.below(12) === 0 ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const isPlain = random.below(2) === 0;
  const field = (make: Make): string => {
    if (!isPlain && random.below(10) === 0) return quoted('');
    if (!isPlain && random.below(15) === 0) return quoted(` ${make()} `);
    if (!isPlain && random.below(300) === 0) return quoted(choose(['"', 'a"b', 'l\nm', 'r\r\ns']));
    return quoted(make());
  };
  const hasHeader = random.below(4) > 0;
  const lines = hasHeader ? [own.map((_, i) => quoted(`c${i}`)).join(delimiter)] : [];
  for (let i = random.below(rows + 1); i > 0; i--) {
    const line = own.map((make) => field(make as Make)).join(delimiter);
    // A line of no field at all would be a row of one that is empty: as good as any.
    lines.push(line);
  }
  const last = random.below(3) === 0 ? '' : ending;
  const bom = random.below(5) === 0 ? '\xef\xbb\xbf' : '';
  const text = bom + lines.join(ending) + (lines.length > 0 ? last : '');
  return { text, delimiter, hasQuotes, hasHeader };
}

/** The text with one to four damages. */
export function damaged(random: Random, { text: whole, ...reading }: Text): Text {
  let text = whole;
  const { delimiter } = reading;
  const pieces = [
    '"',
    '""',
    '\0',
    '\xef\xbb\xbf',
    '\r\n',
    '\n',
    '\r',
    delimiter,
    '"\n',
    '\xff',
    '-',
  ];
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(text.length + 1);
    const some = random.below(8);
    if (some === 0) text = text.slice(0, at) + text.slice(at + 1 + random.below(30));
    else if (some === 1) text = text.slice(0, at);
    else if (some === 2) text = text.slice(0, at) + text.slice(0, at);
    else text = text.slice(0, at) + pieces[random.below(pieces.length)] + text.slice(at);
  }
  if (random.below(150) === 0) {
    const at = random.below(text.length + 1);
    text = text.slice(0, at) + 'x'.repeat(1 << 20) + text.slice(at);
  }
  return { text, ...reading };
}
