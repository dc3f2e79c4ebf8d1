/** The check of licences and install scripts, of a lockfile with what it should refuse. */

import { expect, it } from 'vitest';
import { problemsOf } from '../checks/dependencies.mjs';

const MIT = { license: 'MIT' };

const PACKAGES = {
  'packages/ours': { dependencies: { a: '1' }, optionalDependencies: { b: '1' } },
  'node_modules/ours': { link: true, resolved: 'packages/ours' },
  'node_modules/a': { ...MIT, dependencies: { c: '1' } },
  'node_modules/a/node_modules/c': { license: 'ISC' },
  'node_modules/b': { ...MIT, optionalDependencies: { 'b-linux-x64': '1' } },
  'node_modules/b-linux-x64': {},
  // Nothing of ours brings it along.
  'node_modules/c': { license: 'GPL-3.0-only' },
};

it('takes allowed licences, and a platform package without a licence of its own', () => {
  expect(problemsOf(PACKAGES, ['packages/ours'])).toEqual([]);
});

it.each([
  ['node_modules/a/node_modules/c', { license: 'GPL-3.0-only' }, /^c comes .* GPL-3.0-only, /],
  ['node_modules/a', { dependencies: {} }, /^a comes .* \(none\), /],
  ['node_modules/c', { license: 'MIT', hasInstallScript: true }, /^c runs a script when/],
])('refuses %s as %j', (path, entry, message) => {
  const problems = problemsOf({ ...PACKAGES, [path]: entry }, ['packages/ours']);
  expect(problems).toEqual([expect.stringMatching(message)]);
});
