/** What a test run ends with. */

const SLOWEST = 10;

/** See run-end.d.mts. */
export function printEnd({ passed, failed, skipped, failures, files }) {
  printList('Skipped', skipped);
  const slowest = [...files].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
  printList(
    'Slowest files',
    slowest.map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1)} s  ${name}`),
  );
  printList('Failed', failures);
  const counts = [`${passed} passed`, `${failed} failed`];
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  console.log(`\n${counts.join(', ')}`);
}

function printList(title, lines) {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
