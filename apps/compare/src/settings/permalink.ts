/** Settings as the part of an address after the #, and back. */

import { DEFAULTS, type Settings, settingsFrom } from './settings.js';

/** What stands between the elements of a list: needs no escape in an address. */
const COMMA = ',';

/** All settings, the defaults too: those of a later version of the page may be others. */
export function toHash(settings: Settings): string {
  const { lengths, rivals, words, software, calibrate, ...plain } = settings;
  const pairs: [string, string][] = Object.entries(plain).map(([name, value]) => [
    name,
    `${value}`,
  ]);
  pairs.push(
    ['words', `${words}`],
    ['lengths', lengths.join(COMMA)],
    ['rivals', rivals.join(COMMA)],
    ['software', `${software}`],
    ['calibrate', `${calibrate}`],
  );
  return `#${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** The settings that a hash says; what it does not say, or says badly, is as in DEFAULTS. */
export function fromHash(hash: string): Settings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: string): number | undefined =>
    given.has(name) ? Number(given.get(name)) : undefined;
  const list = (name: string): string[] | undefined =>
    given
      .get(name)
      ?.split(COMMA)
      .filter((item) => item !== '');
  return settingsFrom({
    ...Object.fromEntries(given),
    words: number('words'),
    samples: number('samples'),
    patience: number('patience'),
    seed: number('seed'),
    lengths: list('lengths')?.map(Number),
    rivals: list('rivals') ?? DEFAULTS.rivals,
    software: given.get('software') === 'true',
    calibrate: given.get('calibrate') === 'true',
  });
}
