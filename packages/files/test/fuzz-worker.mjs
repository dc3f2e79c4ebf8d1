/** Reads files that the test sends, in a thread that the test can end. */

import { parentPort } from 'node:worker_threads';
import { bytesSource, FileError, openTable, sortKeysOf, writeTable } from '@keysweep/files';

const open = (bytes, how) => openTable(bytesSource("'in'", bytes), how);

/** What is wrong with values that are to be of so many rows, or undefined. */
function faultOf(rows, values, valid) {
  if (valid !== undefined && 8 * valid.length < rows) return `${valid.length} bytes of validity`;
  if (values.kind === 'fixed') {
    const { bytes, width } = values;
    return bytes.length === rows * width ? undefined : `${bytes.length} bytes of ${width} a row`;
  }
  if (values.kind === 'variable') {
    const { offsets, bytes } = values;
    if (offsets.length !== rows + 1) return `${offsets.length} offsets`;
    const step = offsets.findIndex((offset, i) => i > 0 && offset < offsets[i - 1]);
    if (step !== -1) return `offset ${step} descends`;
    return offsets[rows] <= bytes.length ? undefined : 'offsets beyond the bytes';
  }
  const { places, entries } = values;
  return faultOf(rows, places, undefined) ?? faultOf(entries.rows, entries.values, entries.valid);
}

const isNull = (valid, row) => valid !== undefined && (valid[row >> 3] & (1 << (row & 7))) === 0;

/** What a row holds, as text; of a dictionary its entry. */
function shownAt({ values, valid }, row) {
  if (isNull(valid, row)) return 'null';
  if (values.kind === 'dictionary') {
    const { bytes, width } = values.places;
    return shownAt(values.entries, Buffer.from(bytes).readUIntLE(row * width, Math.min(width, 6)));
  }
  const [from, to] =
    values.kind === 'fixed'
      ? [row * values.width, (row + 1) * values.width]
      : [values.offsets[row], values.offsets[row + 1]];
  return Buffer.from(values.bytes.subarray(from, to)).toString('hex');
}

async function columnsOf(table) {
  const columns = [];
  for (const place of table.columns.keys()) columns.push(await table.readColumn(place));
  return columns;
}

/** Reads all columns, puts them in order, writes them, and reads them again. */
async function readAll(bytes, how) {
  const table = await open(bytes, how);
  const columns = await columnsOf(table);
  const rows = columns[0]?.rows ?? 0;
  for (const [i, column] of columns.entries()) {
    const isRight = column.rows === rows && table.columns[i].rows === rows;
    if (!isRight) return { fault: `column ${i} has ${column.rows} rows, the first ${rows}` };
    const fault = faultOf(rows, column.values, column.valid);
    if (fault !== undefined) return { fault: `column ${i} of ${rows} rows: ${fault}` };
  }
  // A file may have a type that cannot be sorted by: that is one line, too.
  for (const column of columns) {
    await sortKeysOf(column, async ({ keys }) => {
      const count = keys.offsets ? keys.offsets.length - 1 : keys.bytes?.length / keys.width;
      return Uint32Array.from({ length: keys.length ?? count }, (_, i) => i);
    });
  }
  const pieces = [];
  const sink = { write: async (piece) => void pieces.push(piece.slice()) };
  const order = Uint32Array.from({ length: rows }, (_, i) => rows - 1 - i);
  if (columns.length === 0) return { rows };
  await writeTable(sink, how.format, { columns, order, layout: table.layout }, () => {});
  const written = new Uint8Array(Buffer.concat(pieces));
  const again = await columnsOf(await open(written, how)).catch((error) => error);
  if (again instanceof Error) return { fault: `what was written: ${again.message}` };
  for (const [i, column] of columns.entries()) {
    for (let row = 0; row < rows; row++) {
      const [was, is] = [shownAt(column, rows - 1 - row), shownAt(again[i], row)];
      if (was !== is) return { fault: `row ${row} of column ${i} was ${was}, and is ${is}` };
    }
  }
  return { rows };
}

parentPort?.on('message', async ({ bytes, how, column }) => {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  let said;
  try {
    if (column === undefined) said = await readAll(bytes, how);
    else said = { keys: await (await open(bytes, how)).read(column) };
  } catch (error) {
    const isOurs = error instanceof FileError;
    const message = isOurs ? error.message : `${error instanceof Error ? error.stack : error}`;
    said = { message, isOurs };
  }
  // What the collector has taken meanwhile is not seen: the most is what the test asks for.
  const now = process.memoryUsage();
  const grown = { arrays: now.arrayBuffers - arrayBuffers, objects: now.heapUsed - heapUsed };
  parentPort?.postMessage({ ...said, grown });
});
