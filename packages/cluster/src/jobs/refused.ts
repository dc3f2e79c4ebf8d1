/** Jobs that a worker doesn't do, because of what their data says. */

import { ExternalError } from '@keysweep/external';
import { shownLine } from '@keysweep/external/internal';

/** No attempt helps. The message is one line that says what was asked for. */
export class Refused extends ExternalError {}

/** The result of `check`, which looks at what came from the store. @throws Refused, of any error */
export function checked<T>(what: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof Refused) throw cause;
    const why = cause instanceof Error ? cause.message : cause;
    throw new Refused(`${what} is refused: ${shownLine(why)}`, { cause });
  }
}
