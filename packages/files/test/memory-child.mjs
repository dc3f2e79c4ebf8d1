/** Reads files that the test sends, and tells how much memory this process has taken at most. */

import { bytesSource, openTable } from '@keysweep/files';

process.on('message', async ({ bytes, how }) => {
  const before = process.resourceUsage().maxRSS;
  let outcome;
  try {
    const table = await openTable(bytesSource("'in'", new Uint8Array(bytes)), how);
    let rows = 0;
    for (const [place, column] of table.columns.entries()) {
      if ('readColumn' in table) rows += (await table.readColumn(place)).rows;
      else rows += (await table.read(column.name)).length;
    }
    outcome = { rows };
  } catch (error) {
    const { name, message, needed, limit } = error;
    outcome = { name, message, needed, limit };
  }
  process.send({ ...outcome, grown: process.resourceUsage().maxRSS - before });
});
process.send('ready');
