/** `cpu`: keysweep beside the built-in sort, over lengths, types and distributions. */

import { createSorter } from 'keysweep';
import {
  callsOf,
  DEFINITIONS,
  type Definition,
  makeInput,
  nameOf,
  samplesOf,
} from '../inputs/definitions.js';
import { type SortSamples, sortCase } from '../inputs/sort-case.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';

/** One definition with its samples. */
export type CpuResult = Definition & SortSamples;

export const command: Command = suite({
  help: `Measures keysweep beside TypedArray.prototype.sort, or, for argsort and sortPairs, beside a
sort of indices with a comparator. Every result is checked. All of it takes a minute or two.`,
  async open(_, { random }) {
    const sorter = await createSorter();
    return {
      columns: [{ title: 'backend', width: 8, align: 'left' }],
      cases: DEFINITIONS.map((definition) => {
        const one = {
          name: nameOf(definition),
          operation: definition.operation,
          samples: samplesOf(definition),
          warmUps: definition.length <= 1e6 ? 1 : 0,
          calls: callsOf(definition),
          makeInput: () => makeInput(definition, random),
        };
        return sortCase(sorter, one, ({ backend }) => [backend], definition);
      }),
      close: () => sorter.close(),
    };
  },
});
