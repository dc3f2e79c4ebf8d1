/** The cloud of points: what is behind is painted first. */

import { isThorough, runSeed } from '@keysweep/conformance/data';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { type Cloud, makeCloud, paint, viewAt, writeDepths } from '../src/cloud/scene.js';
import { Stillness } from '../src/page/stillness.js';

const SIZE = 64;
const seed = runSeed();

/** Points at x, y, z with colours. */
function cloudOf(points: readonly (readonly [number, number, number, number])[]): Cloud {
  const numbers = Float32Array.from(points.flat());
  const words = new Uint32Array(numbers.buffer);
  points.forEach(([, , , colour], i) => {
    words[4 * i + 3] = colour;
  });
  return { count: points.length, numbers, words };
}

const painted = (cloud: Cloud, order: Uint32Array, angle: number): Uint32Array => {
  const pixels = new Uint32Array(SIZE * SIZE);
  paint(cloud, viewAt(angle), order, pixels, SIZE);
  return pixels;
};

describe('the cloud', () => {
  const RED = 0x0000ff;
  const BLUE = 0xff0000;
  // One behind the other: at a quarter turn x is what depth was.
  const cloud = cloudOf([
    [0, 0, 0.5, RED],
    [0, 0, -0.5, BLUE],
  ]);

  it('has depths that grow away from the eye, and turn with the view', () => {
    const depths = new Float32Array(2);
    writeDepths(cloud, viewAt(0), depths);
    expect(depths[0]).toBeGreaterThan(depths[1]!);
    writeDepths(cloud, viewAt(Math.PI), depths);
    expect(depths[0]).toBeLessThan(depths[1]!);
  });

  it('shows what is painted last above what was painted before', () => {
    // The points are at the same pixel when seen along their line: the lean hides it, so lie flat.
    const flat = cloudOf([
      [0, 0, 0, RED],
      [0, 0, 0, BLUE],
    ]);
    const most = (pixels: Uint32Array, shift: number): number =>
      Math.max(...Array.from(pixels, (pixel) => (pixel >>> shift) & 255));
    const blueLast = painted(flat, Uint32Array.of(0, 1), 0);
    const redLast = painted(flat, Uint32Array.of(1, 0), 0);
    expect(most(blueLast, 16)).toBeGreaterThan(most(blueLast, 0));
    expect(most(redLast, 0)).toBeGreaterThan(most(redLast, 16));
  });

  it(`is the same picture by both sorts (seed ${seed})`, () => {
    const many = makeCloud(isThorough ? 200_000 : 5000, seed);
    const depths = new Float32Array(many.count);
    const view = viewAt(seed % 7);
    writeDepths(many, view, depths);
    const builtin = Uint32Array.from(depths, (_, i) => i);
    builtin.sort((a, b) => depths[b]! - depths[a]!);
    const ours = argsortSync(depths, { order: 'descending' });
    expect(painted(many, ours, seed % 7)).toEqual(painted(many, builtin, seed % 7));
    // It is no picture of the background alone.
    expect(new Set(painted(many, ours, seed % 7)).size).toBeGreaterThan(100);
  });
});

it('keeps still what moves during work, also what comes later or when work fails', async () => {
  const events: string[] = [];
  const moving = (name: string) => ({
    async rest() {
      await Promise.resolve();
      events.push(`${name} rests`);
    },
    resume: () => void events.push(`${name} resumes`),
  });
  const stillness = new Stillness();
  stillness.add(moving('a'));
  const work = stillness.during(async () => {
    stillness.add(moving('b'));
    events.push('work');
    throw new Error('no luck');
  });
  await expect(work).rejects.toThrow('no luck');
  expect(events).toEqual(['a rests', 'work', 'b rests', 'a resumes', 'b resumes']);
});
