/** Which mutants are tried, and in which order. */

import { isEquivalent } from './equivalent.mjs';

/** The workspace that holds a mutant's file. */
export const packageOf = ({ file }) => file.split('/src/')[0];

/** Numbers from 0 to 1 by a seed (mulberry32), for an order that can be repeated. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const isUnder = (file, path) => file === path || file.startsWith(`${path}/`);

/**
 * The mutants under `paths` (all without one) in an order by `seed`, packages in turns, and of each
 * package `count` at most. Those that are ignored, or known to change nothing, are not tried.
 */
export function choose(mutants, paths, { count = Infinity, seed }) {
  const random = randomOf(Number(seed));
  const wanted = mutants
    .filter(({ ignored }) => ignored === undefined)
    .filter(({ file }) => paths.length === 0 || paths.some((path) => isUnder(file, path)))
    .filter((mutant) => !isEquivalent(mutant))
    .map((mutant) => ({ mutant, rank: random() }))
    .sort((a, b) => a.rank - b.rank);
  const counts = new Map();
  const placed = wanted.map(({ mutant }) => {
    const place = counts.get(packageOf(mutant)) ?? 0;
    counts.set(packageOf(mutant), place + 1);
    return { mutant, place };
  });
  return placed
    .filter(({ place }) => place < Number(count))
    .sort((a, b) => a.place - b.place)
    .map(({ mutant }) => mutant);
}
