/** Another user of the machine, whom root plays: nobody. */

import { spawnSync } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryIn } from '../dist/storage.js';

export const NOBODY = 65_534;
export const canPlay = process.platform === 'linux' && process.getuid?.() === 0;
export const WHY = 'only root of Linux can play two users';

/** A name that an ended process of this system could have left in `folder`. */
export function leftName(folder: string): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return temporaryIn(folder).replace(`-${process.pid}-`, `-${pid}-`);
}

/** Gives `name` and all that is in it to nobody. */
export function giveAway(name: string): void {
  lchownSync(name, NOBODY, NOBODY);
  if (!lstatSync(name).isDirectory()) return;
  for (const one of readdirSync(name)) giveAway(join(name, one));
}

/** Runs a piece of program as nobody. */
export function asNobody(script: string): void {
  const drop = `process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});`;
  const program = `const fs = require('node:fs'); ${drop} ${script}`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program]);
  expect({ status, stderr: `${stderr}` }).toEqual({ status: 0, stderr: '' });
}
