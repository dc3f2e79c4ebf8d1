/**
 * Headers of pages, in Thrift's compact protocol. Reading them checks what they claim.
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */

import type { Encoding } from 'hyparquet';
import { readStruct, type Struct, writeStruct } from './thrift.js';

/** In the order of their numbers. */
const TYPES = ['DATA_PAGE', 'INDEX_PAGE', 'DICTIONARY_PAGE', 'DATA_PAGE_V2'] as const;
const ENCODINGS: readonly (Encoding | undefined)[] = [
  'PLAIN',
  undefined,
  'PLAIN_DICTIONARY',
  'RLE',
  'BIT_PACKED',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'DELTA_BYTE_ARRAY',
  'RLE_DICTIONARY',
  'BYTE_STREAM_SPLIT',
];

/** A header, with every number that the format requires. */
export interface PageHeader {
  readonly type: (typeof TYPES)[number] | undefined;
  /** Bytes of the page with its levels, when it is not compressed, and as it is in the file. */
  readonly plainSize: number;
  readonly size: number;
  readonly older: { readonly count: number; readonly encoding: Encoding } | undefined;
  readonly dictionary: PageHeader['older'];
  readonly newer: NewerHeader | undefined;
}

/** What pages of data of the newer kind say. */
interface NewerHeader {
  readonly count: number;
  readonly nulls: number;
  readonly rows: number;
  readonly encoding: Encoding;
  /** Bytes of the levels. */
  readonly levels: number;
  readonly repetitions: number;
  readonly isCompressed: boolean;
}

/** The header that begins at `start`, and where it ends. @throws Error where it is none */
export function readPageHeader(
  bytes: Uint8Array,
  start: number,
): { readonly header: PageHeader; readonly end: number } {
  const { struct, end } = readStruct(bytes, start);
  const [older, dictionary, newer] = [5, 7, 8].map((field) => structIn(struct, field));
  const header = {
    type: TYPES[numberIn(struct, 1)],
    plainSize: numberIn(struct, 2),
    size: numberIn(struct, 3),
    older: older && { count: numberIn(older, 1), encoding: encodingIn(older, 2) },
    dictionary: dictionary && {
      count: numberIn(dictionary, 1),
      encoding: encodingIn(dictionary, 2),
    },
    newer: newer && {
      count: numberIn(newer, 1),
      nulls: numberIn(newer, 2),
      rows: numberIn(newer, 3),
      encoding: encodingIn(newer, 4),
      levels: numberIn(newer, 5),
      repetitions: numberIn(newer, 6),
      isCompressed: newer.get(7) !== false,
    },
  };
  return { header, end };
}

const numberIn = (struct: Struct, field: number): number => {
  const value = struct.get(field);
  if (typeof value !== 'number') throw new Error(`the header of a page has no field ${field}`);
  return value;
};

const encodingIn = (struct: Struct, field: number): Encoding => {
  const encoding = ENCODINGS[numberIn(struct, field)];
  if (encoding === undefined) throw new Error('a page has an unknown encoding');
  return encoding;
};

const structIn = (struct: Struct, field: number): Struct | undefined => {
  const value = struct.get(field);
  return value instanceof Map ? value : undefined;
};

/** Either a dictionary of `count` entries, or data of the newer kind. */
export type WrittenPage =
  | { readonly count: number; readonly data?: undefined }
  | {
      readonly data: NewerHeader;
    };

/** The bytes of a header; the sizes are those of a PageHeader. */
export function pageHeader(page: WrittenPage, plainSize: number, size: number): Uint8Array {
  const { data } = page;
  const fields: [number, Struct] =
    data === undefined
      ? [
          7,
          new Map([
            [1, page.count],
            [2, ENCODINGS.indexOf('PLAIN')],
          ]),
        ]
      : [
          8,
          new Map<number, number | boolean>([
            [1, data.count],
            [2, data.nulls],
            [3, data.rows],
            [4, ENCODINGS.indexOf(data.encoding)],
            [5, data.levels],
            [6, data.repetitions],
            [7, data.isCompressed],
          ]),
        ];
  const type = TYPES.indexOf(data === undefined ? 'DICTIONARY_PAGE' : 'DATA_PAGE_V2');
  return writeStruct(
    new Map<number, number | Struct>([[1, type], [2, plainSize], [3, size], fields]),
  );
}
