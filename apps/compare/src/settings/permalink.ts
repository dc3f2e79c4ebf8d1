/** Settings as the part of an address after the #, and back. */

import { DEFAULTS, type Settings, settingsFrom } from './settings.js';

/** Separates the elements of a list; an address needs no escape for it. */
const COMMA = ',';

/** All settings, the defaults included: a later version of the page may have other defaults. */
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

/** The settings in a hash; what is missing or invalid is as in DEFAULTS. */
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
