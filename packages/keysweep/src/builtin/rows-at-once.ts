/** The code for rows by the runtime's own sort, in Node: see rows-later.ts. */

import * as rowSorts from './builtin-rows.js';

export { rowSorts };

export const loadRowSorts = async (): Promise<typeof rowSorts> => rowSorts;
