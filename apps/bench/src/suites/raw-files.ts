/** `raw-files`: the command keysweep on a file of numbers, in memory and by temporary files. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillUniform } from '@keysweep/conformance/data';
import { type Alone, runAlone } from '../measure/alone.js';
import type { Way } from '../measure/runner.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { wholeNumber } from '../program/options.js';
import { KEYSWEEP } from './table-files.js';

/** What each way says beside the file. */
const WAYS = { 'by default': [], '--memory 64M': ['--memory', '64M'] } as const;

export const command: Command = suite({
  help: `Sorts a file of random f64 by the command keysweep as it is called by default, and with
--memory 64M, each in a process of its own, by turns. Times are those of the processes, with their
start. Every output is compared with what Float64Array.prototype.sort makes of the input.

  --count N       numbers (5000000, which are 40 MB)
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: { count: '5000000', folder: tmpdir() },
  open(values, { random }) {
    const count = wholeNumber('--count', values.count, 1);
    const folder = mkdtempSync(join(values.folder, 'keysweep-bench-'));
    const [input, output] = [join(folder, 'in.f64'), join(folder, 'out.f64')];
    const numbers = fillUniform(new Float64Array(count), random);
    writeFileSync(input, numbers);
    const expected = Buffer.from(numbers.sort().buffer);
    const args = [KEYSWEEP, 'sort', '--type', 'f64', input, '-o', output];
    const ways = Object.entries(WAYS).map(
      ([name, more]): Way<Alone> => ({
        name,
        run: () => runAlone(process.execPath, [...args, ...more]),
      }),
    );
    const check = (): string | undefined =>
      readFileSync(output).equals(expected) ? undefined : 'the numbers are not in order';
    return {
      cases: [{ name: `${count} f64`, samples: 5, warmUps: 1, makeRound: () => ({ ways, check }) }],
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});
