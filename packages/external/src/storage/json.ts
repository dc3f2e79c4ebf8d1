/** Small files of JSON in a storage. */

import { type Storage, writeWhole } from './storage.js';

/** Makes the file `path` of a value. */
export async function writeJson(storage: Storage, path: string, value: unknown): Promise<void> {
  const file = await storage.write(path);
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  await writeWhole([file], () => file.write(bytes));
}

export async function readJson(storage: Storage, path: string): Promise<unknown> {
  const file = await storage.open(path);
  try {
    const bytes = new Uint8Array(file.size);
    await file.read(bytes, 0);
    return JSON.parse(new TextDecoder().decode(bytes));
  } finally {
    await file.close();
  }
}
