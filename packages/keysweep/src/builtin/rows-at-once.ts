/** The code for rows by the runtime's own sort, in Node: see rows-later.ts. */

import * as rows from './builtin-rows.js';

export { rows };

export const loadRows = async (): Promise<typeof rows> => rows;
