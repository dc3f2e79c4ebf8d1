/** A thread of `writeKeys`. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { PIECE, piecesOf } from './real-keys.js';
import type { KeyWork } from './write-keys.js';

const { files, seed, first, step } = workerData as KeyWork;
// Of the first piece of a file, among the pieces of all.
let start = 0;
for (const { path, name, length } of files) {
  const pieces = Math.ceil(length / PIECE);
  const mine = Array.from({ length: pieces }, (_, i) => i).filter(
    (piece) => (start + piece) % step === first,
  );
  start += pieces;
  if (mine.length === 0) continue;
  const make = piecesOf(name, length, seed);
  const file = openSync(path, 'r+');
  for (const piece of mine) {
    const keys = make(piece);
    writeSync(file, keys, 0, keys.byteLength, piece * PIECE * keys.BYTES_PER_ELEMENT);
  }
  closeSync(file);
}
