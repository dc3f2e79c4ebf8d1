/** A device that fails while an output is brought to it. The system tells of that once. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { openOutput } from '../src/io/output.js';
import { scratch } from './command.js';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fdatasync: (_: number, done: (error: Error) => void) =>
    setImmediate(() => done(Object.assign(new Error('broken'), { errno: -5, code: 'EIO' }))),
}));

const path = scratch();

it.each([
  ['the end of the output', 1],
  ['the next bytes', 2],
])('is heard of at %s, and nothing is replaced', async (_, pieces) => {
  writeFileSync(path('out'), 'before');
  const output = await openOutput(path('out'));
  const finish = async (): Promise<void> => {
    for (let i = 0; i < pieces; i++) {
      await output.write(new Uint8Array(2 ** 25));
      // The device fails between two writes.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await output.commit();
  };
  await expect(finish()).rejects.toThrow(/^cannot write '.*out': i\/o error \(EIO\)$/);
  await output.discard();
  expect(readFileSync(path('out'), 'utf8')).toBe('before');
  expect(readdirSync(path(''))).toEqual(['out']);
});
