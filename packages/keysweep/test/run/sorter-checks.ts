/** The checks of what a sorter adds to its backend: arguments, locks, signals, time-outs. */

import { type BackendUnderTest, CHECKS, describeBackend } from '@keysweep/conformance';
import { sorterAsBackend } from '@keysweep/conformance/suite';
import { type Backend, createSorter } from 'keysweep';

/** By name: segments and key bits at their ends, aborts and listeners, arrays taken away. */
const CHOSEN = /^(takes segments|rejects with|leaves no listener)/;

/** Puts a sorter that has one backend through those checks. */
export function describeSorter(
  make: () => Backend,
  options: Partial<BackendUnderTest> & { readonly variant?: string } = {},
): void {
  const { name } = make();
  const { variant = name, ...rest } = options;
  const create = () => createSorter({ backends: [make()], allowSoftware: true });
  describeBackend({
    name: `a sorter by ${variant}`,
    create: () => sorterAsBackend(name, create),
    checks: CHECKS.filter((check) => CHOSEN.test(check.name)),
    ...rest,
  });
}
