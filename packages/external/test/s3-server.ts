/**
 * A store that speaks S3's protocol, s3rver, behind a proxy: it notes every request, makes some of
 * them fail, and aborts uploads, which s3rver cannot. Objects are written by `whole-objects.ts`.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { s3Storage } from '../dist/s3.js';
import type { Storage } from '../dist/storage.js';
import { writeWholeObjects } from './whole-objects.js';

export type Operation =
  | 'HeadBucket'
  | 'HeadObject'
  | 'GetObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'List'
  | 'CreateUpload'
  | 'UploadPart'
  | 'CompleteUpload'
  | 'AbortUpload';

interface StoreRequest {
  readonly operation: Operation;
  readonly key: string;
  /** The header of that name. */
  readonly range: string | undefined;
}

/**
 * What goes wrong: the store fails; the connection ends before the request is carried out, in the
 * middle of the answer, or in place of it; the store carries nothing out and forbids it.
 */
export type Fault = 'failing' | 'reset' | 'cut' | 'lost' | 'forbidden';

export const BUCKET = 'bucket';

export interface Store {
  readonly client: S3Client;
  /** Where it listens, as in AWS_ENDPOINT_URL_S3. */
  readonly endpoint: string;
  /** All requests since `forget`. */
  readonly requests: StoreRequest[];
  /** Asked before each request. */
  fault: (request: StoreRequest) => Fault | undefined;
  /** The keys of all objects. */
  keys(): string[];
  /** Makes an object. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  bytes(key: string): Buffer;
  /** Uploads that are neither completed nor aborted. */
  uploads(): string[];
  /** Removes all objects and uploads, and forgets requests and faults. */
  clear(): void;
  close(): Promise<void>;
}

const OBJECT = '._S3rver_object';
const UPLOADS = '._S3rver_uploads';

/** The address of an object. */
export const at = (key: string): string => `s3://${BUCKET}/${key}`;

/** The bytes that `serveObjects`'s storage sends in a part of an upload. */
export const PART = 25_000;

/** Has a store for all tests of a file, which is empty before each of them. */
export function serveObjects(use: (store: Store, storage: Storage) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'keysweep-s3-'));
  let store: Store;
  beforeAll(async () => {
    store = await openStore(directory);
    use(store, s3Storage({ client: store.client, partBytes: PART }));
  });
  afterEach(() => store.clear());
  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
}

export async function openStore(directory: string): Promise<Store> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  writeWholeObjects(server.store);
  const behind = await server.run();
  const folder = join(directory, BUCKET);
  const uploads = join(folder, UPLOADS);
  const proxy = createServer((asked, answer) => {
    const described = describeRequest(asked);
    store.requests.push(described);
    const fault = store.fault(described);
    if (fault === 'reset') return void asked.socket.destroy();
    if (fault === 'failing') return refuse(asked, answer, 500, 'InternalError', 'Again.');
    if (fault === 'forbidden') return refuse(asked, answer, 403, 'AccessDenied', 'Not for you.');
    if (described.operation === 'AbortUpload') {
      const id = new URL(asked.url as string, 'http://a').searchParams.get('uploadId') as string;
      const isThere = existsSync(join(uploads, id));
      rmSync(join(uploads, id), { recursive: true, force: true });
      return isThere ? end(asked, answer, 204) : refuse(asked, answer, 404, 'NoSuchUpload', '');
    }
    forward(asked, answer, behind.port, fault);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const store: Store = {
    client: new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      maxAttempts: 4,
    }),
    endpoint,
    requests: [],
    fault: () => undefined,
    keys: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(OBJECT))
        .map((name) => name.slice(0, -OBJECT.length).replaceAll('\\', '/'))
        .sort(),
    async put(Key, Body) {
      await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body }));
      store.requests.length = 0;
    },
    bytes: (key) => readFileSync(join(folder, key + OBJECT)),
    uploads: () => (existsSync(uploads) ? readdirSync(uploads) : []),
    clear() {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      store.requests.length = 0;
      store.fault = () => undefined;
    },
    async close() {
      store.client.destroy();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
    },
  };
  return store;
}

function describeRequest({ method, url, headers }: IncomingMessage): StoreRequest {
  const { pathname, searchParams } = new URL(url as string, 'http://a');
  const key = decodeURIComponent(pathname).slice(1 + BUCKET.length + 1);
  const has = (name: string): boolean => searchParams.has(name);
  const kinds: Readonly<Record<string, Operation>> = {
    GET: key === '' ? 'List' : 'GetObject',
    HEAD: key === '' ? 'HeadBucket' : 'HeadObject',
    PUT: has('uploadId') ? 'UploadPart' : headers['x-amz-copy-source'] ? 'CopyObject' : 'PutObject',
    POST: has('uploads') ? 'CreateUpload' : 'CompleteUpload',
    DELETE: has('uploadId') ? 'AbortUpload' : 'DeleteObject',
  };
  return { operation: kinds[method as string] as Operation, key, range: headers.range };
}

function end(asked: IncomingMessage, answer: ServerResponse, status: number, text = ''): void {
  asked.resume().on('end', () => answer.writeHead(status).end(text));
}

function refuse(
  asked: IncomingMessage,
  answer: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  const xml = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  end(asked, answer, status, asked.method === 'HEAD' ? '' : xml);
}

/** Has the store carry out a request, and passes its answer on as far as `fault` lets it. */
function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  port: number,
  fault: Fault | undefined,
): void {
  const { method, url, headers } = asked;
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (given) => {
    const chunks: Buffer[] = [];
    given.on('data', (chunk: Buffer) => chunks.push(chunk));
    given.on('end', () => {
      const body = Buffer.concat(chunks);
      if (fault === 'lost') return asked.socket.destroy();
      answer.writeHead(given.statusCode as number, given.headers);
      if (fault !== 'cut') return answer.end(body);
      // What is written arrives before the end of the connection.
      answer.write(body.subarray(0, body.length / 2), () => asked.socket.end());
    });
  });
  passed.on('error', () => asked.socket.destroy());
  // Of a client that was killed.
  asked.on('close', () => void (asked.complete || passed.destroy()));
  asked.pipe(passed);
}
