/** A whole column of text, in one dictionary as long as all of its pages have one. */

import type { StepAccount } from '../memory.js';
import type { FixedValues, Values, VariableValues } from '../stored/column.js';
import { Entries } from './dictionary.js';
import { type AreWanted, type Cursor, readPlaces, type TakeBlock } from './encodings.js';
import { decoderOfText, TextBuilder } from './text.js';

/** The values of a page. */
export interface TextPage {
  readonly values: Cursor;
  /** How many values there are. */
  readonly count: number;
  readonly encoding: string;
  /** A byte a row: 1 where the row has no value. */
  readonly nulls: Uint8Array;
  /** Which values are wanted; all of them if it is not given. */
  readonly areWanted?: AreWanted | undefined;
}

/** The place of a row without a value. */
const NONE = 2 ** 32 - 1;
/** With more entries a dictionary is hardly shorter than the texts, and slower than they are. */
const MOST = 2 ** 18;

/** The entries of all dictionaries so far, and the place of each row among them. */
interface Merged {
  readonly entries: Entries;
  readonly places: Uint32Array<ArrayBuffer>;
}

/**
 * Collects the texts of pages. Every chunk of a column has a dictionary of its own, and they become
 * one. Rows then take the number of an entry instead of a text, and whoever sorts or writes them
 * looks at each entry once. A page without a dictionary turns all rows into texts.
 */
export class TextColumn {
  readonly #rows: number;
  readonly #memory: StepAccount;
  /** As long as there are no texts. */
  #merged: Merged | undefined;
  #text: TextBuilder | undefined;
  #row = 0;
  /** The chunk that is read, and the numbers that the entries of its dictionary have here. */
  #chunk: object | undefined;
  #numbers = new Uint32Array();

  /** The memory is counted by `memory` before it is taken. */
  constructor(rows: number, memory: StepAccount) {
    this.#rows = rows;
    this.#memory = memory;
  }

  /**
   * Appends the rows of a page of `chunk`.
   * @throws Error where the page is not as it should be
   */
  readPage(page: TextPage, chunk: object, dictionary: VariableValues | undefined): void {
    const { values, count, encoding, nulls, areWanted } = page;
    if (!encoding.endsWith('_DICTIONARY')) {
      const text = this.#asText();
      text.beginPage(nulls);
      if (count > 0) decoderOfText(encoding)(values, count, text, areWanted);
      text.endPage();
      return;
    }
    if (dictionary === undefined && count > 0) {
      throw new Error('a page needs a dictionary, but there is none');
    }
    const { offsets, bytes } = dictionary ?? EMPTY;
    this.#memory.take(4 * count);
    const places = new Uint32Array(count);
    if (count > 0) {
      const take: TakeBlock = (first, some) => places.set(some, first);
      readPlaces(values, offsets.length - 1, count, take, areWanted);
    }
    const numbers = this.#numbersOf(chunk, offsets, bytes);
    if (numbers !== undefined) this.#append(nulls, numbers, places);
    else appendTexts(this.#asText(), nulls, dictionary ?? EMPTY, places);
    this.#memory.give(4 * count);
  }

  /** Appends `count` rows without values, for a page that nobody wants. */
  skip(count: number): void {
    const nulls = new Uint8Array(count).fill(1);
    if (this.#text === undefined) {
      this.#merged ??= this.#begin();
      this.#append(nulls, NO_PLACES, NO_PLACES);
    } else appendTexts(this.#text, nulls, EMPTY, NO_PLACES);
  }

  /** All rows. */
  finish(): Values {
    const { entries, places } = this.#merged ?? { entries: undefined, places: NO_PLACES };
    if (entries === undefined || entries.count === 0) return this.#asText().finish();
    const { count } = entries;
    for (let row = 0; row < places.length; row++) if (places[row] === NONE) places[row] = 0;
    return {
      kind: 'dictionary',
      places: this.#narrow(places, count),
      arePlacesSigned: false,
      entries: { rows: count, values: entries.variable(this.#memory.shared), valid: undefined },
    };
  }

  /** Places below `count` in as few bytes as they need: rows are then read from fewer lines. */
  #narrow(places: Uint32Array<ArrayBuffer>, count: number): FixedValues {
    const width = count <= 2 ** 8 ? 1 : count <= 2 ** 16 ? 2 : 4;
    if (width === 4 && !this.#memory.shared) {
      return { kind: 'fixed', width, bytes: new Uint8Array(places.buffer) };
    }
    const bytes = this.#memory.allocate(width * places.length);
    const ArrayClass = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
    new ArrayClass(bytes.buffer).set(places);
    return { kind: 'fixed', width, bytes };
  }

  /** Appends rows of a page, whose values are the entries `numbers[places[i]]`. */
  #append(nulls: Uint8Array, numbers: Uint32Array, places: Uint32Array): void {
    const { places: all } = this.#merged ?? { places: NO_PLACES };
    let row = this.#row;
    if (places.length === nulls.length) {
      for (let i = 0; i < places.length; i++) all[row++] = numbers[places[i] as number] as number;
    } else {
      for (let i = 0, next = 0; i < nulls.length; i++) {
        all[row++] = nulls[i] === 1 ? NONE : (numbers[places[next++] as number] as number);
      }
    }
    this.#row = row;
  }

  #begin(): Merged {
    const places = new Uint32Array(this.#memory.allocateWork(4 * this.#rows).buffer);
    return { entries: new Entries(this.#memory), places };
  }

  /**
   * The numbers of a dictionary's entries. Undefined if texts are collected, as they are from then
   * on if there are too many entries, or too many for one place of the table that finds them.
   */
  #numbersOf(chunk: object, offsets: Uint32Array, bytes: Uint8Array): Uint32Array | undefined {
    if (this.#text !== undefined) return undefined;
    this.#merged ??= this.#begin();
    if (this.#chunk === chunk) return this.#numbers;
    const { entries } = this.#merged;
    const count = offsets.length - 1;
    if (entries.count + count > MOST) return undefined;
    const more = 4 * (count - this.#numbers.length);
    this.#memory.take(more);
    const numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const number = entries.numberOf(bytes, offsets[i] as number, offsets[i + 1] as number);
      if (number === undefined) {
        this.#memory.give(more);
        return undefined;
      }
      numbers[i] = number;
    }
    [this.#chunk, this.#numbers] = [chunk, numbers];
    return numbers;
  }

  /** Turns the rows so far into texts. */
  #asText(): TextBuilder {
    if (this.#text !== undefined) return this.#text;
    const text = new TextBuilder(this.#rows, this.#memory, this.#memory.shared);
    this.#text = text;
    if (this.#merged === undefined) return text;
    const { entries, places } = this.#merged;
    const { offsets, bytes } = entries.variable();
    for (let row = 0; row < this.#row; row++) {
      const place = places[row] as number;
      if (place === NONE) text.append(bytes, 0, 0);
      else text.append(bytes, offsets[place] as number, offsets[place + 1] as number);
    }
    this.#merged = undefined;
    entries.end();
    this.#memory.give(4 * this.#rows + offsets.byteLength + bytes.length);
    return text;
  }
}

const NO_PLACES = new Uint32Array();
const EMPTY = { offsets: new Uint32Array(1), bytes: new Uint8Array() };

/** Appends rows of a page, whose values are the entries `places` of a dictionary. */
function appendTexts(
  text: TextBuilder,
  nulls: Uint8Array,
  { offsets, bytes }: Pick<VariableValues, 'offsets' | 'bytes'>,
  places: Uint32Array,
): void {
  text.beginPage(nulls);
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    text.append(bytes, offsets[place] as number, offsets[place + 1] as number);
  }
  text.endPage();
}
