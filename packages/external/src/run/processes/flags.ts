/**
 * The flags of Node that a process which we start takes over from this one. Threads get none: what
 * a flag says of the whole process holds for its threads, too, and others are for the program's own
 * code.
 */

/**
 * Flags that say which code runs, that load more code before it, or that attach a tool: another
 * program has no use for them, and Node refuses some together with a file. With them go their
 * values.
 */
const OWN = new RegExp(
  `^(-[epcir]|-pe|--(${[
    'eval|print|check|interactive|run|input-type|experimental-default-type',
    'import|require|loader|experimental-loader|env-file|env-file-if-exists',
    '(test|experimental-test|watch|inspect)[-a-z]*',
  ].join('|')}))(=|$)`,
);

/**
 * The ones of `flags` that another program of ours is to have, such as limits of memory,
 * certificates and permissions. `flags` has values as elements of their own, or after an equals
 * sign.
 */
export function childFlags(flags: readonly string[] = process.execArgv): string[] {
  const kept: string[] = [];
  let isKept = true;
  for (const flag of flags) {
    // What is no flag is the value of the one before.
    if (flag.startsWith('-')) isKept = !OWN.test(flag);
    if (isKept) kept.push(flag);
  }
  return kept;
}
