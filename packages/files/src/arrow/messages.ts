/**
 * The messages of Arrow data: a schema, then batches of rows. A file has the same messages as a
 * stream, between its magic words, and a footer that says where they lie.
 * https://arrow.apache.org/docs/format/Columnar.html
 */

import type { StepAccount } from '../memory.js';
import { FlatTable, int64At } from './flatbuffer.js';

/** Rows of all columns. */
export interface Batch {
  readonly rows: number;
  /** One for each column and each column below one, depth first. */
  readonly nodes: readonly { readonly rows: number; readonly nulls: number }[];
  /** The nodes' buffers as they lie in the file. */
  readonly buffers: readonly Uint8Array<ArrayBuffer>[];
  /** How many buffers more each column of views has, depth first. */
  readonly variadic: readonly number[];
  /** How many all those before each have together, and all of them. */
  readonly variadicBefore: readonly number[];
  readonly compression: 'none' | 'LZ4' | 'ZSTD';
}

export interface Messages {
  /** The tables `Schema`, at least one: of the first message, of the footer, or of both. */
  readonly schemas: readonly FlatTable[];
  /** Of the metadata: 3 or 4, which the format calls V4 and V5. */
  readonly version: number;
  readonly batches: readonly Batch[];
  readonly dictionaries: readonly DictionaryBatch[];
}

/** Entries of a dictionary. */
interface DictionaryBatch {
  readonly id: number;
  /** Whether they follow those that are there already. */
  readonly isDelta: boolean;
  readonly batch: Batch;
}

const MAGIC = 'ARROW1';
/** The magic word that begins a file is padded to 8 bytes. */
const FILE_START = 8;

/** The types of messages. */
const SCHEMA = 1;
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

/** The versions of the metadata that are read: V4, which came with Arrow 0.8, and V5. */
const OLDEST_VERSION = 3;
const NEWEST_VERSION = 4;

/** @throws Error where the messages are not as they should be, or the footer contradicts them */
export function readMessages(bytes: Uint8Array<ArrayBuffer>, account: StepAccount): Messages {
  if (wordAt(bytes, 0) !== MAGIC) {
    const stream = readStream(bytes, 0, bytes.length, account);
    if (stream.schemas.length === 1) return stream;
    throw new Error('it does not begin with a schema');
  }
  const lengthAt = bytes.length - MAGIC.length - 4;
  if (lengthAt < FILE_START || wordAt(bytes, lengthAt + 4) !== MAGIC) {
    throw new Error(`it does not end with ${MAGIC}: it is cut short`);
  }
  const footerAt = lengthAt - viewOf(bytes).getUint32(lengthAt, true);
  if (footerAt < FILE_START) throw new Error('its footer is longer than the file');
  const stream = readStream(bytes, FILE_START, footerAt, account);
  const { starts, isMarked, isEnded } = stream;
  const footer = FlatTable.rootOf(bytes.subarray(footerAt, lengthAt));
  account.take(BUFFER * footer.count(3, 24));
  const blocks = footer.structs(3, 24, (block) => int64At(block, 0));
  if (blocks.join() !== starts.join()) {
    throw new Error(
      `its footer has ${blocks.length} batches, and not where its ${starts.length} begin`,
    );
  }
  if (isMarked && !isEnded) throw new Error('its data do not end where its footer begins');
  const schema = footer.table(1);
  if (schema === undefined) throw new Error('its footer has no schema');
  assertLittleEndian(schema);
  // Some writers leave the first message out.
  return { ...stream, schemas: [...stream.schemas, schema] };
}

interface Stream extends Messages {
  /** Where the messages with batches begin. */
  readonly starts: readonly number[];
  /** Whether messages begin with a mark, as they do since version 0.15 of Arrow. */
  readonly isMarked: boolean;
  /** Whether the last message is followed by the mark of the end, which a stream may lack. */
  readonly isEnded: boolean;
}

/** The messages from `start` to `end`. */
function readStream(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  end: number,
  account: StepAccount,
): Stream {
  const schemas: FlatTable[] = [];
  const batches: Batch[] = [];
  const starts: number[] = [];
  const versions = new Set<number>();
  const view = viewOf(bytes);
  const isMarked = end - start >= 4 && view.getUint32(start, true) === CONTINUATION;
  let isEnded = false;
  const dictionaries: DictionaryBatch[] = [];
  for (let at = start; at < end; ) {
    const message = messageAt(bytes, at, end, isMarked);
    if (message === undefined) {
      if (at + END_OF_STREAM < end) throw new Error('bytes follow the end of its data');
      isEnded = true;
      break;
    }
    const { type, version, header, body, next } = message;
    versions.add(version);
    if (type === SCHEMA) {
      if (at > start) throw new Error('it has a second schema');
      assertLittleEndian(header);
      schemas.push(header);
    } else if (type === RECORD_BATCH) {
      starts.push(at);
      batches.push(batchOf(header, body, account));
    } else if (type === DICTIONARY_BATCH) {
      dictionaries.push(dictionaryOf(header, body, account));
    } else {
      throw new Error(`it has a message of the unknown type ${type}`);
    }
    at = next;
  }
  const [version = NEWEST_VERSION] = versions;
  if (versions.size > 1 || version < OLDEST_VERSION || version > NEWEST_VERSION) {
    throw new Error(`its version ${[...versions].join(', ')} cannot be read`);
  }
  return { schemas, version, batches, dictionaries, starts, isMarked, isEnded };
}

function assertLittleEndian(schema: FlatTable): void {
  if (schema.int16(0, 0) !== 0) throw new Error('its numbers are big-endian');
}

/** What marks a message, and with the length 0 the end. */
const CONTINUATION = 0xffffffff;
/** Bytes of the mark and of the length that end a stream. */
const END_OF_STREAM = 8;

interface Message {
  readonly type: number;
  readonly version: number;
  readonly header: FlatTable;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Where the next one begins. */
  readonly next: number;
}

/** The message at `at`, or undefined for the mark of the end. */
function messageAt(
  bytes: Uint8Array<ArrayBuffer>,
  at: number,
  end: number,
  isMarked: boolean,
): Message | undefined {
  const view = viewOf(bytes.subarray(0, end));
  if (isMarked && view.getUint32(at, true) !== CONTINUATION) {
    throw new Error('a message is not where the one before it ends');
  }
  const metadataAt = at + (isMarked ? 8 : 4);
  const length = view.getUint32(metadataAt - 4, true);
  if (length === 0) return undefined;
  const bodyAt = metadataAt + length;
  if (bodyAt > end) throw new Error(`a message of ${length} bytes is longer than what is left`);
  const message = FlatTable.rootOf(bytes.subarray(metadataAt, bodyAt));
  const header = message.table(2);
  if (header === undefined) throw new Error('a message has no header');
  const bodyLength = message.int64(3);
  if (bodyLength < 0 || bodyAt + bodyLength > end) {
    throw new Error(`a batch of ${bodyLength} bytes is longer than what is left`);
  }
  return {
    type: message.uint8(1, 0),
    version: message.int16(0, 0),
    header,
    body: bytes.subarray(bodyAt, bodyAt + bodyLength),
    next: bodyAt + bodyLength,
  };
}

function dictionaryOf(
  header: FlatTable,
  body: Uint8Array<ArrayBuffer>,
  account: StepAccount,
): DictionaryBatch {
  const data = header.table(1);
  if (data === undefined) throw new Error('a dictionary has no entries');
  const batch = batchOf(data, body, account);
  return { id: header.int64(0), isDelta: header.uint8(2, 0) !== 0, batch };
}

/** Bytes of memory for what is known of a node, and of a buffer. */
const NODE = 64;
const BUFFER = 192;

function batchOf(header: FlatTable, body: Uint8Array<ArrayBuffer>, account: StepAccount): Batch {
  const rows = header.int64(0);
  account.take(
    NODE * header.count(1, 16) + BUFFER * header.count(2, 16) + NODE * header.count(4, 8),
  );
  const nodes = header.structs(1, 16, (node) => ({
    rows: int64At(node, 0),
    nulls: int64At(node, 8),
  }));
  const places = header.structs(2, 16, (place) => ({
    offset: int64At(place, 0),
    length: int64At(place, 8),
  }));
  if (rows < 0) throw new Error(`a batch has ${rows} rows`);
  assertEndToEnd(places, body.length);
  const variadic = header.structs(4, 8, (count) => int64At(count, 0));
  const variadicBefore = [0];
  for (const [i, more] of variadic.entries()) {
    variadicBefore.push((variadicBefore[i] as number) + more);
  }
  return {
    rows,
    nodes,
    buffers: places.map(({ offset, length }) => body.subarray(offset, offset + length)),
    variadic,
    variadicBefore,
    compression: compressionOf(header.table(3)),
  };
}

function compressionOf(compression: FlatTable | undefined): Batch['compression'] {
  if (compression === undefined) return 'none';
  const codec = compression.uint8(0, 0);
  if (codec > 1 || compression.uint8(1, 0) !== 0) throw new Error('its compression is unknown');
  return codec === 0 ? 'LZ4' : 'ZSTD';
}

/** The multiples at which writers let buffers begin. */
const ALIGNMENTS = [8, 16, 32, 64, 128, 256, 512, 4096];

/**
 * Buffers lie end to end, each padded to a multiple that is the same for all, and fill the body.
 * So a wrong place or length contradicts its neighbours.
 */
function assertEndToEnd(
  places: readonly { readonly offset: number; readonly length: number }[],
  size: number,
): void {
  const fits = ALIGNMENTS.some((alignment) => {
    let next = 0;
    for (const { offset, length } of places) {
      if (offset !== next || length < 0) return false;
      next = Math.ceil((offset + length) / alignment) * alignment;
    }
    // The whole may be padded more than each buffer.
    return next <= size && size - next < 64;
  });
  if (!fits) throw new Error("a batch's buffers do not lie end to end and fill it");
}

function wordAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + MAGIC.length));
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
