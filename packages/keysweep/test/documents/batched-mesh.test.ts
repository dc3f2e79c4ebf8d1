/** The recipe of docs/every-frame.md, as it stands there, in a BatchedMesh of three.js. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Random, runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** What three hands to the function: an object's range, depth and number. */
interface Item {
  readonly z: number;
  readonly index: number;
}

type SortItems = (list: Item[]) => void;

const here = fileURLToPath(new URL('.', import.meta.url));
const page = join(here, '../../../../docs/every-frame.md');

let folder: string;
let sortByDepth: SortItems;

beforeAll(async () => {
  const [, recipe] =
    /<!-- recipe: batched-mesh -->\n```js\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? [];
  // Here `keysweep/sync` is found.
  folder = await mkdtemp(join(here, 'recipe-'));
  const file = join(folder, 'recipe.mjs');
  await writeFile(file, recipe as string);
  ({ sortByDepth } = await import(pathToFileURL(file).href));
});

afterAll(() => rm(folder, { recursive: true }));

it.each([
  ['back to front where transparent', true, 1500],
  ['front to back where opaque', false, 700],
  ['the few objects of a later frame', true, 20],
])(`draws %s (KEYSWEEP_SEED=${runSeed()})`, async (_, transparent, count) => {
  // It brings no types.
  const three = await import('three' as string);
  const random = new Random(runSeed());
  const material = new three.MeshBasicMaterial({ transparent });
  const mesh = new three.BatchedMesh(count, 24, 36, material);
  mesh.perObjectFrustumCulled = false;
  const box = mesh.addGeometry(new three.BoxGeometry());
  for (let i = 0; i < count; i++) {
    const at = () => 100 * random.unit() - 50;
    mesh.setMatrixAt(mesh.addInstance(box), new three.Matrix4().setPosition(at(), at(), at()));
  }
  const camera = new three.PerspectiveCamera();
  camera.position.set(1, 2, 300);
  camera.updateMatrixWorld();

  const frames: { before: Item[]; after: Item[] }[] = [];
  mesh.setCustomSort(function (this: unknown, list: Item[]) {
    const before = list.map((item) => ({ ...item }));
    sortByDepth.call(this, list);
    frames.push({ before, after: list.map((item) => ({ ...item })) });
  });
  // What a renderer calls before it draws the mesh.
  mesh.onBeforeRender({}, new three.Scene(), camera, mesh.geometry, material);
  const [{ before, after }] = frames as [{ before: Item[]; after: Item[] }];
  expect(after).toHaveLength(count);
  const sign = transparent ? -1 : 1;
  const expected = before.toSorted((a, b) => sign * (Math.fround(a.z) - Math.fround(b.z)));
  expect(after).toEqual(expected);
  expect(after).not.toEqual(before);
  mesh.dispose();
});
