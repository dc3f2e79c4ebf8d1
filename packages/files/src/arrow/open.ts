/** Columns of an Arrow file, in the file or the stream format. */

import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import type { ByteSource } from '../source.js';
import { firstNull, type Stored, type StoredColumn } from '../stored/column.js';
import { type Column, findColumn, nullError, type OnProgress, type StoredTable } from '../table.js';
import { type Batch, type Messages, readMessages } from './messages.js';
import { joinParts, type Part, partOf } from './parts.js';
import { type DictionaryField, type Field, fieldsOf } from './schema.js';

/** Reads the whole file; a column is copied when it is read. */
export async function openArrow(source: ByteSource, onProgress?: OnProgress): Promise<StoredTable> {
  const { name: file, size } = source;
  const bytes = await source.read(0, size, (completed) =>
    onProgress?.({ completed, total: size, unit: 'bytes' }),
  );
  const messages = readMessages(bytes);
  const { schemas, version, batches, dictionaries } = messages;
  const [fields = [], ...others] = schemas.map((schema) => fieldsOf(schema, version));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(fields))) {
    throw new Error('its footer has another schema than its first message');
  }
  if (dictionaries.length > 0 && !fields.some((field) => field.hasDictionary)) {
    throw new Error('it has a dictionary, but no column that needs one');
  }
  for (const batch of batches) assertWhole(batch, fields);
  const rows = batches.reduce((total, batch) => total + batch.rows, 0);
  const columns = fields.map(({ name, type, keyType }): Column => ({ name, type, keyType, rows }));
  const readColumn = async (place: number): Promise<StoredColumn> => {
    const field = fields[place] as Field;
    const { name, stored: type, isNullable } = field;
    if (type === undefined) {
      throw new FileError(
        `column '${name}' of ${file} is ${field.type}, which cannot be carried; ` +
          'leave it out of the file first',
      );
    }
    const parts = batches.map((batch) => partAt(batch, fields, place));
    const stored = joinParts(parts, field);
    const { dictionary } = field;
    if (dictionary === undefined || stored.values.kind !== 'fixed') {
      return { name, type, isNullable, ...stored };
    }
    const values = {
      kind: 'dictionary',
      places: stored.values,
      arePlacesSigned: dictionary.isSigned,
      entries: entriesOf(name, dictionary, messages),
    } as const;
    return { name, type, isNullable, ...stored, values };
  };
  return {
    columns,
    async read(name) {
      const column = findColumn(file, columns, name);
      const { values, valid } = await readColumn(columns.indexOf(column));
      const nullAt = firstNull(valid, rows);
      if (nullAt !== -1) throw nullError(file, name, nullAt);
      if (values.kind !== 'fixed') throw new Error('a number has no width');
      const { buffer, byteOffset } = values.bytes;
      return new (keyArrayClass(column.keyType))(buffer, byteOffset, rows);
    },
    readColumn,
    layout: { format: 'arrow', schema: (schemas[0] as (typeof schemas)[0]).place, fields },
  };
}

/** The entries of a dictionary: of one batch, and of those that continue it. */
function entriesOf(
  name: string,
  { id, entries }: DictionaryField,
  { dictionaries }: Messages,
): Stored {
  const own = dictionaries.filter((dictionary) => dictionary.id === id);
  if (own.some(({ isDelta }, i) => i > 0 && !isDelta)) {
    throw new FileError(`column '${name}' has a dictionary that is replaced on the way`);
  }
  for (const { batch } of own) assertWhole(batch, [entries]);
  return joinParts(
    own.map(({ batch }) => partAt(batch, [entries], 0)),
    entries,
  );
}

const sumOf = (fields: readonly Field[], of: 'nodes' | 'buffers' | 'views'): number =>
  fields.reduce((total, field) => total + field[of], 0);

/** The buffers of `fields`, the first columns, in a batch. */
const buffersOf = ({ variadic }: Batch, fields: readonly Field[]): number =>
  variadic
    .slice(0, sumOf(fields, 'views'))
    .reduce((total, more) => total + more, sumOf(fields, 'buffers'));

/** @throws Error unless `batch` has the columns of the schema, with its number of rows each */
function assertWhole(batch: Batch, fields: readonly Field[]): void {
  const { rows, nodes, buffers, variadic } = batch;
  const [manyNodes, manyBuffers] = [sumOf(fields, 'nodes'), buffersOf(batch, fields)];
  const hasViews =
    variadic.length === sumOf(fields, 'views') && variadic.every((more) => more >= 0);
  if (nodes.length !== manyNodes || buffers.length !== manyBuffers || !hasViews) {
    throw new Error(
      `a batch has ${nodes.length} columns in ${buffers.length} buffers, ` +
        `where its schema needs ${manyNodes} in ${manyBuffers}`,
    );
  }
  let node = 0;
  for (const field of fields) {
    if (nodes[node]?.rows !== rows) {
      throw new Error(`column '${field.name}' has ${nodes[node]?.rows} of a batch's ${rows} rows`);
    }
    node += field.nodes;
  }
}

function partAt(batch: Batch, fields: readonly Field[], place: number): Part {
  const before = fields.slice(0, place);
  return partOf(batch, fields[place] as Field, {
    node: sumOf(before, 'nodes'),
    buffer: buffersOf(batch, before),
    view: sumOf(before, 'views'),
  });
}
