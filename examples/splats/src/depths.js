/** Writes how far every point lies before the camera. */
export function writeDepths(positions, [x, y, z, offset], depths) {
  for (let i = 0, at = 0; i < depths.length; i++, at += 3) {
    depths[i] = positions[at] * x + positions[at + 1] * y + positions[at + 2] * z + offset;
  }
}

/**
 * From far to near, which is how translucent points are drawn. 16 bits of the depths' range are
 * enough for the eye: the rows are then counted by them, which is faster than a sort.
 */
export const FAR_TO_NEAR = /** @type {const} */ ({ order: 'descending', precision: 16 });
