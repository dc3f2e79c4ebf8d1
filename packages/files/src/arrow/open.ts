/** Columns of an Arrow file, in the file or the stream format. */

import { loadCodecs } from '../decompress.js';
import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import type { MemoryBudget, StepAccount } from '../memory.js';
import type { ByteSource } from '../source.js';
import { firstNull, memoryOfStored, type Stored, type StoredColumn } from '../stored/column.js';
import { takeFromParts } from '../stored/join.js';
import { takeRows } from '../stored/take.js';
import {
  type Column,
  findColumn,
  nullError,
  type OnProgress,
  type StoredTable,
  type TableMemory,
} from '../table.js';
import { type Batch, type Messages, readMessages } from './messages.js';
import { joinParts, memoryInBatch, type Places, partOf } from './parts.js';
import { type DictionaryField, type Field, fieldsOf } from './schema.js';

/** Reads the whole file; a column is copied when it is read. */
export async function openArrow(
  source: ByteSource,
  memory: MemoryBudget,
  onProgress?: OnProgress,
): Promise<StoredTable> {
  const { name: file, size } = source;
  const held = memory.begin({ expected: size });
  held.take(size);
  const bytes = await source.read(0, size, (completed) =>
    onProgress?.({ completed, total: size, unit: 'bytes' }),
  );
  const messages = readMessages(bytes, held);
  const { schemas, version, batches, dictionaries } = messages;
  const all = [...batches, ...dictionaries.map(({ batch }) => batch)];
  if (all.some(({ compression }) => compression === 'ZSTD')) await loadCodecs(['ZSTD']);
  const [fields = [], ...others] = schemas.map((schema) => fieldsOf(schema, version, held));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(fields))) {
    throw new Error('its footer has another schema than its first message');
  }
  if (dictionaries.length > 0 && !fields.some((field) => field.hasDictionary)) {
    throw new Error('it has a dictionary, but no column that needs one');
  }
  for (const batch of batches) assertWhole(batch, fields);
  const places = placesOf(fields);
  const rows = batches.reduce((total, batch) => total + batch.rows, 0);
  const columns = fields.map(({ name, type, keyType }): Column => ({ name, type, keyType, rows }));
  /** All rows of a column, or those that are wanted. */
  const readField = async (
    place: number,
    wanted: Uint32Array | undefined,
    account: StepAccount,
  ): Promise<StoredColumn> => {
    const field = fields[place] as Field;
    const { name, stored: type, isNullable, dictionary } = field;
    if (type === undefined) {
      throw new FileError(
        `column '${name}' of ${file} is ${field.type}, which cannot be carried; ` +
          'leave it out of the file first',
      );
    }
    const part = (batch: Batch): Stored =>
      partOf(batch, field, placeIn(batch, places[place] as Places), account);
    const some =
      wanted &&
      (await takeFromParts(
        batches.map(({ rows }) => rows),
        wanted,
        async (i, rows) => takeRows(part(batches[i] as Batch), rows),
      ));
    const stored = some ?? joinParts(wanted ? [] : batches.map(part), field, account);
    if (dictionary === undefined || stored.values.kind !== 'fixed') {
      return { name, type, isNullable, ...stored };
    }
    const values = {
      kind: 'dictionary',
      places: stored.values,
      arePlacesSigned: dictionary.isSigned,
      entries: entriesOf(name, dictionary, messages, account),
    } as const;
    return { name, type, isNullable, ...stored, values };
  };
  const readColumn = (place: number, wanted?: Uint32Array): Promise<StoredColumn> => {
    const { columns: own, reading } = sizesOf(
      messages,
      fields[place] as Field,
      places[place] as Places,
    );
    // Columns are views of the file until they are joined: what is expected is what it says.
    return memory.column(
      place,
      { expected: 0, spare: own + reading },
      (account) => readField(place, wanted, account),
      memoryOfStored,
    );
  };
  return {
    columns,
    memoryOf(wantedPlaces) {
      const wanted = wantedPlaces.map((place) =>
        sizesOf(messages, fields[place] as Field, places[place] as Places),
      );
      return {
        columns: wanted.reduce((sum, { columns }) => sum + columns, size),
        reading: wanted.reduce((most, { reading }) => Math.max(most, reading), 0),
      };
    },
    async read(name) {
      const column = findColumn(file, columns, name);
      const { values, valid } = await readColumn(columns.indexOf(column));
      const nullAt = firstNull(valid, rows);
      if (nullAt !== -1) throw nullError(file, name, nullAt);
      if (values.kind !== 'fixed') throw new Error('a number has no width');
      const { buffer, byteOffset } = values.bytes;
      return new (keyArrayClass(column.keyType))(buffer, byteOffset, rows);
    },
    readColumn: (place) => readColumn(place),
    readRows: readColumn,
    layout: { format: 'arrow', schema: (schemas[0] as (typeof schemas)[0]).place, fields },
  };
}

/** The entries of a dictionary: of one batch, and of those that continue it. */
function entriesOf(
  name: string,
  { id, entries }: DictionaryField,
  { dictionaries }: Messages,
  account: StepAccount,
): Stored {
  const own = dictionaries.filter((dictionary) => dictionary.id === id);
  if (own.some(({ isDelta }, i) => i > 0 && !isDelta)) {
    throw new FileError(`column '${name}' has a dictionary that is replaced on the way`);
  }
  for (const { batch } of own) assertWhole(batch, [entries]);
  return joinParts(
    own.map(({ batch }) => partOf(batch, entries, FIRST, account)),
    entries,
    account,
  );
}

/** Where the first column of a batch begins. */
const FIRST: Places = { node: 0, buffer: 0, view: 0 };

/**
 * Where each of `fields`, the columns of a batch, begins, but for more buffers of columns of views;
 * the last is where all of them end. A table may have so many columns that nobody wants to go
 * through them once for each.
 */
function placesOf(fields: readonly Field[]): readonly Places[] {
  const places = [FIRST];
  for (const { nodes, buffers, views } of fields) {
    const { node, buffer, view } = places.at(-1) as Places;
    places.push({ node: node + nodes, buffer: buffer + buffers, view: view + views });
  }
  return places;
}

/** The same place in a batch. */
const placeIn = ({ variadicBefore }: Batch, place: Places): Places => ({
  ...place,
  buffer: place.buffer + (variadicBefore[place.view] ?? 0),
});

/** @throws Error unless `batch` has the columns of the schema, with its number of rows each */
function assertWhole(batch: Batch, fields: readonly Field[]): void {
  const { rows, nodes, buffers, variadic } = batch;
  const end = placeIn(batch, placesOf(fields).at(-1) as Places);
  const { node: manyNodes, buffer: manyBuffers, view: manyViews } = end;
  const hasViews = variadic.length === manyViews && variadic.every((more) => more >= 0);
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

/** What a column takes in memory, and its dictionary, as the batches say. */
function sizesOf({ batches, dictionaries }: Messages, field: Field, place: Places): TableMemory {
  const { dictionary } = field;
  const own = batches.map((batch) => memoryInBatch(batch, field, placeIn(batch, place)));
  const entries = dictionaries
    .filter(({ id }) => id === dictionary?.id)
    .map(({ batch }) => {
      const entries = dictionary?.entries as Field;
      return memoryInBatch(batch, entries, FIRST);
    });
  const all = [...own, ...entries];
  return {
    columns: all.reduce((sum, { column }) => sum + column, 0),
    reading: all.reduce((sum, { reading }) => sum + reading, 0),
  };
}
