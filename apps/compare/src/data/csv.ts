/** Numeric columns of CSV and TSV files. */

import type { Column, Table } from '@keysweep/files';
import { csvFormatRows, csvParseRows, tsvFormatRows, tsvParseRows } from 'd3-dsv';
import type { KeyArray } from 'keysweep';

/** A table of text, which can be written again. */
export interface TextTable extends Table {
  /** The names, and the rows `order`, as they were in the file. */
  write(order: Uint32Array): string;
}

/** @throws Error where the file is empty or cannot be read */
export async function openCsv(file: File): Promise<TextTable> {
  const isTsv = file.name.toLowerCase().endsWith('.tsv');
  const [parse, format] = isTsv ? [tsvParseRows, tsvFormatRows] : [csvParseRows, csvFormatRows];
  try {
    // Empty lines at the end are no rows.
    const rows = parse((await file.text()).replace(/[\r\n]+$/, ''));
    const write = (order: Uint32Array): string =>
      `${format([rows[0] ?? [], ...Array.from(order, (row) => rows[row + 1] ?? [])])}\n`;
    return { ...tableOf(rows), write };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read '${file.name}' as CSV: ${why}`, { cause });
  }
}

/**
 * The rows after the first, which has the names. Columns of 32-bit integers become Int32Array,
 * columns of other numbers Float64Array. In a row with fewer cells the others are empty.
 * @throws Error where there are no names, or a row has more cells
 */
export function tableOf(rows: readonly (readonly string[])[]): Table {
  const [names, ...lines] = rows;
  if (names === undefined) throw new Error('it is empty');
  // Of a file with another separator, numbers would be read from the part before the first comma.
  const wide = lines.findIndex(({ length }) => length > names.length);
  if (wide >= 0) {
    const { length } = lines[wide] as readonly string[];
    throw new Error(
      `row ${wide + 1} has ${length} cells, and the first line names ${names.length}. ` +
        'Commas separate cells, in .tsv files tabs',
    );
  }
  const columns = names.map((name, i): Column => {
    const keyType = keyTypeOf(lines, i);
    const type = keyType === undefined ? 'text' : keyType === 'i32' ? 'whole numbers' : 'numbers';
    return { name, type, keyType, rows: lines.length };
  });
  return {
    columns,
    async read(name): Promise<KeyArray> {
      const i = names.indexOf(name);
      const keys =
        columns[i]?.keyType === 'i32'
          ? new Int32Array(lines.length)
          : new Float64Array(lines.length);
      lines.forEach((line, row) => {
        keys[row] = Number(line[i]);
      });
      return keys;
    },
  };
}

/** Undefined where a cell is not a number; `NaN` is a number, an empty cell is not. */
function keyTypeOf(lines: readonly (readonly string[])[], i: number): 'i32' | 'f64' | undefined {
  let isWhole = true;
  for (const line of lines) {
    const text = line[i]?.trim() ?? '';
    const number = Number(text);
    if (text === '' || (Number.isNaN(number) && text !== 'NaN')) return undefined;
    isWhole &&= Object.is(number | 0, number);
  }
  return isWhole ? 'i32' : 'f64';
}
