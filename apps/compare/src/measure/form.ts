/** The form of the settings: writes settings to its fields, and reads them back. */

import { arrayNameOf, KEY_TYPES, keyTraits } from '@keysweep/core';
import type { KeyType } from 'keysweep';
import { type Availability, availabilityOf, type Facts } from '../device/facts.js';
import { byId, make, option } from '../page/dom.js';
import { formatLength } from '../page/format.js';
import { whyNotResident } from '../run/gpu-keys.js';
import { nameOf } from '../settings/names.js';
import {
  COLUMN,
  DEFAULTS,
  DISTRIBUTION_WORDS,
  DISTRIBUTIONS,
  describeEntropy,
  MAX_WORDS,
  PAYLOADS,
  type Payload,
  RIVALS,
  type Rival,
  type Settings,
  settingsFrom,
} from '../settings/settings.js';

/** The lengths offered; a link may have others. */
const OFFERED = [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8];

const PAYLOAD_WORDS: Readonly<Record<Payload, string>> = {
  none: 'keys alone: sort',
  '32': 'a 32-bit payload: sortPairs',
  '64': 'a 64-bit payload: sortPairs',
  indices: 'the permutation: argsort',
};

/** Fills a select with the key types that this browser has arrays for. */
export function offerKeyTypes(select: HTMLSelectElement): void {
  const types = KEY_TYPES.filter((keyType) => arrayNameOf(keyType) in globalThis);
  select.replaceChildren(...types.map((keyType) => option(keyType, arrayNameOf(keyType))));
}

export function offerPayloads(select: HTMLSelectElement): void {
  select.replaceChildren(...PAYLOADS.map((payload) => option(payload, PAYLOAD_WORDS[payload])));
}

export class SettingsForm {
  readonly form: HTMLFormElement = byId('settings', HTMLFormElement);
  #facts: Facts | undefined;
  /** The rivals asked for, also those that this machine has not: a link is for others, too. */
  #wanted: ReadonlySet<Rival> = new Set();

  constructor(settings: Settings) {
    offerKeyTypes(this.#select('keyType'));
    offerPayloads(this.#select('payload'));
    this.#select('distribution').replaceChildren(
      ...DISTRIBUTIONS.map((distribution) =>
        option(distribution, DISTRIBUTION_WORDS[distribution]),
      ),
    );
    this.write(settings);
    this.form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.name === 'rivals') this.#want(target);
      this.#follow();
    });
  }

  /** Shows settings. */
  write(settings: Settings): void {
    const { lengths, rivals, software, calibrate, words, ...plain } = settings;
    const offered = [...new Set([...OFFERED, ...lengths])].sort((a, b) => a - b);
    byId('lengths').replaceChildren(
      ...offered.map((length) =>
        make(
          'label',
          {},
          make('input', {
            type: 'checkbox',
            name: 'lengths',
            value: length,
            checked: lengths.includes(length),
          }),
          make('span', {}, formatLength(length)),
        ),
      ),
    );
    this.#wanted = new Set(rivals);
    this.#offerRivals();
    this.#offerEntropies(settings.keyType, words);
    for (const [name, value] of Object.entries(plain)) this.#field(name).value = `${value}`;
    // What a link brings may be of a column. The form measures keys that are drawn.
    if (plain.distribution === COLUMN) this.#select('distribution').value = DEFAULTS.distribution;
    this.#box('software').checked = software;
    this.#box('calibrate').checked = calibrate;
    this.#follow();
  }

  /** The settings in the form. */
  read(): Settings {
    const data = new FormData(this.form);
    const number = (name: string): number => Number(data.get(name));
    return settingsFrom({
      ...Object.fromEntries(data),
      words: Number(this.#select('words').value),
      samples: number('samples'),
      patience: number('patience'),
      seed: number('seed'),
      lengths: data.getAll('lengths').map(Number),
      rivals: [...this.#wanted],
      software: data.has('software'),
      calibrate: data.has('calibrate'),
    });
  }

  /** Disables what cannot be measured on this machine, and says why. */
  setFacts(facts: Facts): void {
    this.#facts = facts;
    byId('software-choice').hidden = !Object.values(availabilityOf(facts)).some(
      (here) => here.available && here.software,
    );
    this.#follow();
  }

  /** What is wrong with the form, or undefined. */
  problem(): string | undefined {
    return new FormData(this.form).has('lengths')
      ? undefined
      : 'Choose at least one number of keys.';
  }

  #want({ value, checked }: HTMLInputElement): void {
    const others = [...this.#wanted].filter((rival) => rival !== value);
    this.#wanted = new Set(checked ? [...others, value as Rival] : others);
  }

  #offerRivals(): void {
    byId('rivals').replaceChildren(
      ...RIVALS.map((rival) =>
        make(
          'label',
          { class: 'check', style: `--series: var(--${rival})` },
          make('input', {
            type: 'checkbox',
            name: 'rivals',
            value: rival,
            checked: this.#wanted.has(rival),
          }),
          make(
            'span',
            {},
            make('span', { class: 'swatch', 'aria-hidden': 'true' }),
            nameOf(rival),
            make('small', { id: `why-${rival}` }),
          ),
        ),
      ),
    );
  }

  #offerEntropies(keyType: KeyType, words: number): void {
    const { bits } = keyTraits(keyType);
    const select = this.#select('words');
    select.replaceChildren(
      ...Array.from({ length: MAX_WORDS }, (_, i) =>
        option(`${i + 1}`, describeEntropy(i + 1, bits)),
      ),
    );
    select.value = `${words}`;
  }

  /** Updates the fields that depend on others. */
  #follow(): void {
    const keyType = this.#select('keyType').value as KeyType;
    const words = Number(this.#select('words').value);
    this.#offerEntropies(keyType, words);
    this.#select('words').disabled = this.#select('distribution').value !== 'random';
    if (this.#facts === undefined) return;
    const availability = availabilityOf(this.#facts);
    for (const rival of RIVALS) {
      const why = this.#whyNot(rival, availability[rival], keyType);
      const here = availability[rival];
      byId(`why-${rival}`).textContent =
        why ?? (here.available && here.software ? 'by software, on the CPU' : '');
      const box = this.form.querySelector<HTMLInputElement>(`input[value="${rival}"]`);
      if (box === null) continue;
      box.disabled = why !== undefined;
      box.checked = why === undefined && this.#wanted.has(rival);
    }
  }

  #whyNot(rival: Rival, here: Availability, keyType: KeyType): string | undefined {
    if (!here.available) return here.reason;
    if (rival === 'resident' && whyNotResident(keyType) !== undefined)
      return whyNotResident(keyType);
    return here.software && !this.#box('software').checked
      ? 'here only a software renderer'
      : undefined;
  }

  #field(name: string): HTMLInputElement | HTMLSelectElement {
    return this.form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement;
  }

  #select(name: string): HTMLSelectElement {
    return this.#field(name) as HTMLSelectElement;
  }

  #box(name: string): HTMLInputElement {
    return this.#field(name) as HTMLInputElement;
  }
}
