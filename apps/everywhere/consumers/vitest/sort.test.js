import { writeFileSync } from 'node:fs';
import * as keysweep from 'keysweep';
import { test } from 'vitest';
import { sortThrice } from './program.mjs';

test('sorts', { timeout: 60_000 }, async () => {
  writeFileSync(process.env.OUTCOME, JSON.stringify(await sortThrice(keysweep)));
});
