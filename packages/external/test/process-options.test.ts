/** The option `processes`: what is refused, and with which error. */

import { describe, expect, it } from 'vitest';
import { ExternalError, type SortFileOptions, sortFile } from '../dist/index.js';

describe('the option processes', () => {
  it.each<[string, object, RegExp]>([
    ['none', { processes: 0 }, /^processes must be a whole number from 1 to 256, got 0$/],
    ['no number', { processes: 'two' }, /^processes must be a number or a list, got 'two'$/],
    ['an empty list', { processes: [] }, /^processes.length must be a whole number from 1/],
    ['a wrong GPU', { processes: [{}, { gpu: -1 }] }, /^processes\[1\].gpu must be a whole/],
    ['another name', { processes: [{ cpu: 1 }] }, /^processes\[0\] has no 'cpu'; it takes gpu/],
    ['too little memory', { processes: 4, memory: 2e5 }, /^memory must be .* from 262144 on/],
    ['unique', { processes: 2, unique: true }, /^unique is for one process/],
    ['a sorter', { processes: 2, sorter: { sort() {}, argsort() {}, gather() {} } }, /^processes/],
  ])('%s is an error that names it', async (_, options, message) => {
    const call = sortFile('in', 'out', { type: 'u8', ...options } as SortFileOptions);
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.not.toBeInstanceOf(ExternalError);
  });

  it('a sink is refused', async () => {
    const sink = { write: () => Promise.resolve() };
    await expect(sortFile('in', sink, { type: 'u32', processes: 2 })).rejects.toThrow(
      /^processes need paths of this/,
    );
  });
});
