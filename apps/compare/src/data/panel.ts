/** The section "Your data": a file, a column of it, and the time of each sort of it. */

import { arrayNameOf } from '@keysweep/core';
import type { Column } from '@keysweep/files';
import type { KeyType, Order } from 'keysweep';
import type { Facts } from '../device/facts.js';
import { offerKeyTypes, offerPayloads } from '../measure/form.js';
import { byId, notify, option, saveBlob, warn } from '../page/dom.js';
import { formatBytes, formatCount } from '../page/format.js';
import type { Results } from '../results/record.js';
import { copyResultLink, saveRecord } from '../results/share.js';
import { fillTable } from '../results/table.js';
import type { RunEvent } from '../run/events.js';
import { fromHash } from '../settings/permalink.js';
import { COLUMN, DEFAULTS, type Payload, type Settings } from '../settings/settings.js';
import { Cancelled, type WorkerClient } from '../worker/client.js';
import { kindOf } from './kind.js';
import { SHOWN, showPreview } from './preview.js';
import { FileReading } from './reader.js';

/** Beside the page, if the build has it. */
const SAMPLE = 'data/flights-3m.parquet';

/** Samples of each sort: all are of the same column. */
const SAMPLES = 5;

export class DataPanel {
  readonly #client: WorkerClient;
  readonly #reading: FileReading = new FileReading();
  readonly #status = byId('data-status');
  readonly #form = byId('data-form', HTMLFormElement);
  readonly #column = byId('column', HTMLSelectElement);
  readonly #rawType = byId('raw-type', HTMLSelectElement);
  readonly #run = byId('data-run', HTMLButtonElement);
  #facts: Facts | undefined;
  /** Of the column that was sorted last. */
  #results: Results | undefined;
  #file: File | undefined;
  #columns: readonly Column[] = [];
  /** Whether a column is being read, to be sorted. */
  #isReading = false;

  constructor(client: WorkerClient) {
    this.#client = client;
    offerKeyTypes(this.#rawType);
    this.#rawType.value = 'f32';
    offerPayloads(byId('data-payload', HTMLSelectElement));
    const input = byId('file', HTMLInputElement);
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file !== undefined) void this.#open(file);
    });
    this.#takeDrops(byId('drop'));
    byId('sample').addEventListener('click', () => void this.#takeSample());
    this.#rawType.addEventListener('change', () => {
      if (this.#file !== undefined) void this.#open(this.#file);
    });
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#sort();
    });
    byId('data-cancel').addEventListener('click', () => this.#cancel());
    this.#column.addEventListener('change', () => void this.#peek());
    byId('data-save').addEventListener('click', () => void this.#save());
    byId('data-json').addEventListener('click', () => {
      if (this.#results !== undefined) saveRecord(this.#results);
    });
    byId('data-link').addEventListener('click', async () => {
      if (this.#results === undefined) return;
      notify(byId('data-shared'), await copyResultLink(this.#results));
    });
  }

  /** Allows sorting: the worker has answered. */
  enable(facts: Facts): void {
    this.#facts = facts;
    this.#run.disabled = false;
  }

  #takeDrops(zone: HTMLElement): void {
    zone.addEventListener('dragover', (event) => {
      event.preventDefault();
      zone.classList.add('over');
    });
    zone.addEventListener('dragleave', () => zone.classList.remove('over'));
    zone.addEventListener('drop', (event) => {
      event.preventDefault();
      zone.classList.remove('over');
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) warn(this.#status, 'What was dropped is not a file.');
      else void this.#open(file);
    });
  }

  async #takeSample(): Promise<void> {
    notify(this.#status, 'Fetching three million flights …');
    try {
      const response = await fetch(SAMPLE);
      const isThere = response.ok && !response.headers.get('content-type')?.startsWith('text/html');
      if (!isThere) throw new Error('this copy of the page does not have it');
      await this.#open(new File([await response.blob()], 'flights-3m.parquet'));
    } catch (error) {
      warn(this.#status, `The sample cannot be loaded: ${(error as Error).message}.`);
    }
  }

  async #open(file: File): Promise<void> {
    this.#form.hidden = true;
    byId('data-results').hidden = true;
    notify(this.#status, `Opening ${file.name} …`);
    let best: string | undefined;
    try {
      ({ columns: this.#columns, best } = await this.#reading.open(file, this.#type));
    } catch (error) {
      // Another file was chosen meanwhile.
      if (error instanceof Cancelled) return;
      this.#warn(error);
      // Another type of raw values may fit.
      this.#file = kindOf(file.name) === 'raw' ? file : undefined;
      if (this.#file !== undefined) this.#offer(file, [], undefined);
      return;
    }
    this.#file = file;
    this.#offer(file, this.#columns, best);
    const numeric = this.#columns.filter(({ keyType }) => keyType !== undefined);
    if (numeric.length > 0) notify(this.#status, '');
    else {
      const found = this.#columns.map(({ name, type }) => `${name} (${type})`).join(', ');
      warn(this.#status, `${file.name} has no numeric column. Its columns: ${found || 'none'}.`);
    }
  }

  #offer(file: File, columns: readonly Column[], best: string | undefined): void {
    const isRaw = kindOf(file.name) === 'raw';
    byId('raw-choice').hidden = !isRaw;
    const count = columns[0]?.rows;
    const rows = count === 1 ? ', 1 row' : `, ${formatCount(count ?? 0)} rows`;
    const size = `${formatBytes(file.size)}${count === undefined ? '' : rows}`;
    byId('data-file').textContent = `${file.name}: ${size}`;
    this.#column.replaceChildren(
      ...columns.map(({ name, type, keyType }) => {
        const choice = option(
          name,
          `${name} · ${type}${keyType === undefined ? ' (not numeric)' : ''}`,
        );
        choice.disabled = keyType === undefined;
        return choice;
      }),
    );
    if (best !== undefined) this.#column.value = best;
    this.#run.hidden = best === undefined;
    byId('data-save').hidden = best === undefined;
    this.#form.hidden = best === undefined && !isRaw;
    byId('preview').hidden = true;
    if (best !== undefined) void this.#peek();
  }

  /** Shows the first values of the chosen column. */
  async #peek(): Promise<void> {
    const name = this.#column.value;
    try {
      const keys = await this.#reading.read(name);
      if (name === this.#column.value) showPreview(keys);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    warn(this.#status, sentence((error as Error).message));
  }

  /** Says how work for the reader has ended before its time. */
  #tellEnd(error: unknown): void {
    if (error instanceof Cancelled) notify(this.#status, 'Cancelled.');
    else this.#warn(error);
  }

  async #save(): Promise<void> {
    const order = byId('data-order', HTMLSelectElement).value as Order;
    const name = this.#column.value;
    notify(this.#status, `Sorting the whole file by ${name} …`);
    this.#setReading(true);
    try {
      const file = await this.#reading.save(name, order);
      saveBlob(file.name, file);
      notify(this.#status, `Saved ${file.name}, ${formatBytes(file.size)}.`);
    } catch (error) {
      this.#tellEnd(error);
    } finally {
      this.#setReading(false);
    }
  }

  /** The worker that has the file is at work for the reader, who may end it. */
  #setReading(isReading: boolean): void {
    this.#isReading = isReading;
    this.#setRunning(isReading);
  }

  get #type(): KeyType {
    return this.#rawType.value as KeyType;
  }

  async #sort(): Promise<void> {
    const column = this.#columns.find(({ name }) => name === this.#column.value);
    const facts = this.#facts;
    if (this.#file === undefined || column?.keyType === undefined || facts === undefined) return;
    const settings: Settings = {
      ...DEFAULTS,
      // Software renderers take part if the section "Measure" says so.
      software:
        document.querySelector<HTMLInputElement>('input[name="software"]')?.checked ??
        fromHash(location.hash).software,
      keyType: column.keyType,
      distribution: COLUMN,
      lengths: [column.rows],
      payload: byId('data-payload', HTMLSelectElement).value as Payload,
      order: byId('data-order', HTMLSelectElement).value as Order,
      samples: SAMPLES,
    };
    const date = new Date().toISOString();
    let results: Results = { date, settings, facts, cells: [], choices: [], whole: false };
    const onEvent = (event: RunEvent): void => {
      if (event.kind === 'cells') {
        const choices = event.choice === undefined ? [] : [event.choice];
        results = { ...results, cells: event.cells, choices, whole: true };
      } else notify(this.#status, `${column.name}: ${event.progress.what} …`);
    };
    this.#setRunning(true);
    try {
      notify(this.#status, `Reading ${column.name} …`);
      this.#isReading = true;
      const keys = await this.#reading.read(column.name).finally(() => {
        this.#isReading = false;
      });
      const head = keys.slice(0, SHOWN + 1);
      const memory = keys.buffer as ArrayBuffer;
      const ends = await this.#client.request('sortColumn', { keys, settings }, onEvent, [memory]);
      showPreview(head, ends);
      this.#show(column, results);
    } catch (error) {
      this.#tellEnd(error);
    } finally {
      this.#setRunning(false);
    }
  }

  /** Ends the reading of a column at once, with the worker that has the file open, or the run. */
  #cancel(): void {
    if (this.#isReading) {
      this.#reading.end();
      this.#form.hidden = true;
    } else {
      this.#client.cancel();
    }
  }

  #show({ name, keyType }: Column, results: Results): void {
    this.#results = results;
    notify(byId('data-shared'), '');
    const { cells } = results;
    const { payload, order } = results.settings;
    const wrong = cells.filter(({ fault }) => fault !== undefined).length;
    const what =
      payload === 'none' ? 'sorted' : payload === 'indices' ? 'argsorted' : 'sorted with a payload';
    const title = `${name} (${keyType && arrayNameOf(keyType)}), ${what}, ${order}`;
    byId('data-results-title').textContent = title;
    fillTable(byId('data-table', HTMLTableElement), cells, [], title);
    byId('data-results').hidden = false;
    if (wrong > 0) warn(this.#status, `${wrong} results are WRONG.`);
    else notify(this.#status, 'Sorted. Every result was checked and is right.');
  }

  #setRunning(isRunning: boolean): void {
    this.#run.disabled = isRunning;
    byId('data-save', HTMLButtonElement).disabled = isRunning;
    byId('data-cancel').hidden = !isRunning;
    document.body.dataset.dataRun = isRunning ? 'running' : 'over';
  }
}

/** A message as a sentence: messages begin in lower case and end without a full stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
