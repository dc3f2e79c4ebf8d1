/** Names in the shared folder. They're checked by these same functions when they come back. */

import { randomUUID } from 'node:crypto';
import { nameIn } from '@keysweep/external/storage';
import type { Stage } from './jobs.js';

/** A new shared folder in `tmp`. */
export const folderIn = (tmp: string): string =>
  nameIn(tmp, `.keysweep-cluster-${randomUUID()}.tmp`);

/** Whether `path` is a shared folder. No other is ever removed. */
export const isFolder = (path: string): boolean =>
  /[\\/]\.keysweep-cluster-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(path);

/** What an object holds: the result of a stage's job, or where the parts are. */
export type ObjectKind = `${Stage}-${number}` | 'shuffle';

/** A new name for an object. Each attempt of a job has its own. */
export const objectIn = (folder: string, kind: ObjectKind): string =>
  nameIn(folder, `${kind}.${randomUUID().slice(0, 8)}`);

/** Whether `path` is a name that `objectIn` may have made. */
export const isObjectIn = (path: string, folder: string, kind: ObjectKind): boolean => {
  const start = nameIn(folder, `${kind}.`);
  return path.startsWith(start) && /^[0-9a-f]{8}$/.test(path.slice(start.length));
};
