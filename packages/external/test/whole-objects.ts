/**
 * Has s3rver write as a store of objects does: an object is there once all of it is. On its own it
 * answers when it has read a request, and whoever then reads the object may miss its end.
 */

import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileStore, Written } from 's3rver';

/** Replaces the methods of `store` that write what comes with a request. */
export function writeWholeObjects(store: FileStore): void {
  let count = 0;

  async function write(path: string, content: Readable): Promise<Written> {
    const hash = createHash('md5');
    let size = 0;
    // Beside the buckets, where no list of objects looks.
    const unfinished = join(store.rootDirectory, `unfinished-${count++}`);
    await pipeline(
      content,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(unfinished),
    );
    renameSync(unfinished, path);
    return { size, md5: hash.digest('hex') };
  }

  store.putObject = async ({ bucket, key, content, metadata }) => {
    const path = store.getResourcePath(bucket, key, 'object');
    mkdirSync(dirname(path), { recursive: true });
    const written = await write(path, content);
    await store.putMetadata(bucket, key, metadata, written.md5);
    return written;
  };

  store.putPart = async (bucket, id, part, content) => {
    // In the folder of its upload, which is gone if that was aborted meanwhile.
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), id, `${part}`);
    const written = await write(path, content);
    writeFileSync(`${path}.md5`, written.md5);
    return written;
  };
}
