/** The recipe of docs/webgpu.md for buffers of three.js, run as it stands there. */

import { RadixSorter } from '@keysweep/webgpu';
// @ts-expect-error: three has no types of its own
import { StorageBufferAttribute, WebGPURenderer } from 'three/webgpu';
import { expect, it } from 'vitest';
// @ts-expect-error: Vite gives the text of a file
import text from '../../../docs/webgpu.md?raw';

const [, section = ''] = (text as string).split('## Buffers of three.js');
const [, code = ''] = /```js\n(.*?)```/s.exec(section) ?? [];

const NAMES = { RadixSorter, StorageBufferAttribute, WebGPURenderer };

it('sorts the buffer of an attribute, which three then reads', async () => {
  const imports = code.match(/^import .*$/gm) ?? [];
  expect(imports).toHaveLength(2);
  const body = code.replace(/^import .*$/gm, '');
  const depths = Float32Array.from({ length: 5000 }, (_, i) => Math.sin(i));
  const expected = depths.slice().sort();
  const names = [...Object.keys(NAMES), 'depths'];
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const run = new AsyncFunction(...names, `${body}; return { renderer, attribute, sorter };`);
  const { renderer, attribute, sorter } = await run(...Object.values(NAMES), depths);
  const sorted = new Float32Array(await renderer.getArrayBufferAsync(attribute));
  expect(sorted).toEqual(expected);
  sorter.destroy();
  renderer.dispose();
});
