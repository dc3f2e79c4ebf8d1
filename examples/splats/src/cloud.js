/** Points on a knot, and how deep they lie. */

import { Color, Mesh, TorusKnotGeometry, Vector3 } from 'three';
import { MeshSurfaceSampler } from 'three/addons/math/MeshSurfaceSampler.js';

/** `count` points in no order: positions of 3 floats, colours of 4 bytes. */
export function makeCloud(count) {
  const knot = new Mesh(new TorusKnotGeometry(1, 0.28, 512, 48, 2, 5));
  const sampler = new MeshSurfaceSampler(knot).setRandomGenerator(randomNumbers(7)).build();
  const positions = new Float32Array(3 * count);
  const colours = new Uint8Array(4 * count);
  const [position, normal, colour] = [new Vector3(), new Vector3(), new Color()];
  for (let i = 0; i < count; i++) {
    sampler.sample(position, normal);
    // Off the surface by a little, so that the points are a skin and no sheet.
    position.addScaledVector(normal, 0.03 * Math.sin(1e4 * position.x)).toArray(positions, 3 * i);
    const light = 0.35 + 0.25 * (1 + normal.y);
    colour.setHSL(0.55 + 0.12 * position.z + 0.2 * position.x, 0.75, light);
    colours.set([255 * colour.r, 255 * colour.g, 255 * colour.b, 200], 4 * i);
  }
  // Points cover the knot some times over; but not by a few large blots.
  return { count, positions, colours, radius: Math.min(0.03, 11 / Math.sqrt(count)) };
}

/** Numbers from 0 to 1, the same in every run (xorshift: Marsaglia, 2003). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Where the camera looks to: x, y, z, and what makes its own place depth 0. */
export function viewOf(camera) {
  const forward = camera.getWorldDirection(new Vector3());
  return [...forward.toArray(), -forward.dot(camera.position)];
}
