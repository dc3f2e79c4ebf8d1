/** The twin of kernels/cpu/buffered-radix.ts. */

import { counterOf, countersOf } from './plain-radix.js';
import { at, bufferOf, numberOf, type Stage, type Twin } from './twin.js';

/** One pass. */
export const bufferedRadix: Twin = (stage) => {
  const [from, counters] = [bufferOf(stage, 'from'), bufferOf(stage, 'counters')];
  const [buffers, begins] = [bufferOf(stage, 'buffers'), bufferOf(stage, 'begins')];
  const shift = numberOf(stage.params, 'shift');
  const first = countersOf(stage, shift);
  const line = numberOf(stage.constants, 'LINE');
  for (let value = 0; value < begins.length; value++) begins[value] = at(counters, first + value);
  for (let i = 0; i < numberOf(stage.params, 'count'); i++) {
    const key = at(from, i);
    const counter = counterOf(stage, key, shift);
    const place = at(counters, counter);
    buffers[(counter - first) * line + (place % line)] = key;
    counters[counter] = place + 1;
    if (place % line === line - 1) empty(stage, counter - first, place + 1 - line, place + 1);
  }
  for (let value = 0; value < begins.length; value++) {
    const place = at(counters, first + value);
    empty(stage, value, place - (place % line), place);
  }
};

/** Writes a buffer's keys for places [line, end) of a line, but none before its digit begins. */
function empty(stage: Stage, value: number, line: number, end: number): void {
  const [buffers, to] = [bufferOf(stage, 'buffers'), bufferOf(stage, 'to')];
  const size = numberOf(stage.constants, 'LINE');
  for (let place = Math.max(line, at(bufferOf(stage, 'begins'), value)); place < end; place++) {
    to[place] = at(buffers, value * size + (place % size));
  }
}
