/**
 * The code for rows by the runtime's own sort. A page loads it when it is first needed, because few
 * pages sort anything but bare keys; Node has rows-at-once.ts in place of this file, because there
 * a file takes longer to find than to read. tools/build/for-node.mjs exchanges them.
 */

type RowSorts = typeof import('./builtin-rows.js');

/** The code, if it is there. */
export let rowSorts: RowSorts | undefined;

export async function loadRowSorts(): Promise<RowSorts> {
  rowSorts ??= await import('./builtin-rows.js');
  return rowSorts;
}
