/** fast-check, drawing by the seed of the run. A failure says the case, not how it was found. */

import fc from 'fast-check';

const { KEYSWEEP_SEED } = process.env;

fc.configureGlobal({
  ...(KEYSWEEP_SEED === undefined ? {} : { seed: Number(KEYSWEEP_SEED) }),
  reporter(run: fc.RunDetails<unknown>) {
    if (!run.failed) return;
    const { counterexample, errorInstance: cause } = run;
    if (counterexample === null) throw new Error(fc.defaultReportMessage(run));
    throw new Error(`${fc.stringify(counterexample)}: ${cause}`, { cause });
  },
});

export default fc;
