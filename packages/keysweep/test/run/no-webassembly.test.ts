/** What 'auto' chooses in Node without WebAssembly: by the figures of plain kernels, at once. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Plans while everything is cold and once the backend was probed; sorts the last request. */
const PROGRAM = `
import { createSorter, builtin } from 'keysweep';
import { cpu } from '@keysweep/cpu';
const codes = [];
const onWarning = ({ code }) => codes.push(code);
const sorter = await createSorter({ backends: [cpu(), builtin()], onWarning });
const requests = [['sort', 'u32'], ['sort', 'f64'], ['argsort', 'u32']];
const first = () => requests.map(([operation, keyType]) => {
  return sorter.plan({ operation, keyType, length: 3e6 }).steps[0].backend;
});
const cold = first();
const { cpu: probe } = await sorter.capabilities();
const { kernels } = probe.capabilities;
const keys = Uint32Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
// The built-in sort serves it, for want of kernels.
await sorter.sort(Float64Array.from(keys), { onReport() {} });
const said = [...codes];
const order = await sorter.argsort(keys);
const isSorted = order.every((row, i) => i === 0 || keys[order[i - 1]] <= keys[row]);
console.log(JSON.stringify({ kernels, cold, probed: first(), isSorted, said, codes }));
await sorter.close();
`;

it.each([
  ['--no-expose-wasm', ['cpu', 'builtin', 'cpu']],
  ['--jitless', ['builtin', 'builtin', 'builtin']],
])('%s', async (flag, best) => {
  const args = [flag, '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
  const codes = ['no-webassembly'];
  const found = { kernels: 'plain', cold: best, probed: best, isSorted: true, said: codes, codes };
  expect(JSON.parse(stdout)).toEqual(found);
});
