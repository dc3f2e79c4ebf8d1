/** Reads files that the test sends, in a thread that the test can end. */

import { parentPort } from 'node:worker_threads';
import { bytesSource, FileError, openTable } from '@keysweep/files';

parentPort?.on('message', async ({ bytes, how, column }) => {
  try {
    const table = await openTable(bytesSource("'in'", bytes), how);
    parentPort?.postMessage({ keys: await table.read(column) });
  } catch (error) {
    const isOurs = error instanceof FileError;
    const message = isOurs ? error.message : `${error instanceof Error ? error.stack : error}`;
    parentPort?.postMessage({ message, isOurs });
  }
});
