/** The section "Measure": the form, the run, its progress, its results. */

import type { Facts } from '../device/facts.js';
import { byId, notify } from '../page/dom.js';
import { formatLeft } from '../page/format.js';
import type { Results } from '../results/record.js';
import { ResultsView } from '../results/view.js';
import { SettingsForm } from '../settings/form.js';
import { fromHash, toHash } from '../settings/permalink.js';
import { Cancelled, type WorkerClient } from '../worker/client.js';
import type { Progress, RunEvent } from './run.js';

/** Milliseconds between two drawings of the progress: each takes processor time from the sorts. */
const PROGRESS_INTERVAL = 150;

export class MeasurePanel {
  readonly #client: WorkerClient;
  readonly #form: SettingsForm;
  readonly #view = new ResultsView();
  readonly #status = byId('run-status');
  readonly #run = byId('run', HTMLButtonElement);
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  #facts: Facts | undefined;
  #results: Results | undefined;
  #isPaused = false;
  /** The latest, drawn after PROGRESS_INTERVAL. */
  #progress: Progress | undefined;
  #progressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: WorkerClient) {
    this.#client = client;
    this.#form = new SettingsForm(fromHash(location.hash));
    this.#form.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#measure();
    });
    this.#pause.addEventListener('click', () => this.#togglePause());
    this.#cancel.addEventListener('click', () => client.cancel());
    byId('copy-link').addEventListener('click', () => void this.#copyLink());
    addEventListener('hashchange', () => {
      // Links to a section are no settings.
      if (location.hash.includes('=')) this.#form.write(fromHash(location.hash));
    });
  }

  /** Enables the form for this machine. */
  setFacts(facts: Facts): void {
    this.#facts = facts;
    this.#form.setFacts(facts);
    this.#run.disabled = false;
  }

  async #measure(): Promise<void> {
    const problem = this.#form.problem();
    if (problem !== undefined || this.#facts === undefined) {
      notify(this.#status, problem ?? 'The browser has not answered yet.', true);
      return;
    }
    const settings = this.#form.read();
    history.replaceState(undefined, '', toHash(settings));
    const date = new Date().toISOString();
    this.#results = { date, settings, facts: this.#facts, cells: [], choices: [], whole: false };
    this.#setRunning(true);
    // Tests wait for this attribute, and with it for the last drawing.
    document.body.dataset.run = 'running';
    notify(this.#status, '');
    try {
      await this.#client.request('measure', { settings }, (event) => this.#receive(event));
      this.#results = { ...this.#results, whole: true };
      notify(this.#status, `Done. ${this.#countsText()}`);
    } catch (error) {
      if (error instanceof Cancelled) notify(this.#status, `Cancelled. ${this.#countsText()}`);
      else
        notify(
          this.#status,
          `The run ended: ${(error as Error).message}. ${this.#countsText()}`,
          true,
        );
    } finally {
      this.#setRunning(false);
    }
    await this.#view.show(this.#results);
    document.body.dataset.run = 'over';
  }

  /** "All 80 sorts were checked and are right.", or what is wrong. */
  #countsText(): string {
    const { cells = [] } = this.#results ?? {};
    const measured = cells.filter(({ samples }) => samples.length > 0);
    if (measured.length === 0) return 'Nothing was measured.';
    const sorts = measured.reduce((sum, { verified }) => sum + verified, 0);
    const wrong = cells.filter(({ fault }) => fault !== undefined).length;
    const failed = cells.filter(({ error, skipped }) => error !== undefined && !skipped).length;
    return [
      wrong === 0
        ? `All ${sorts.toLocaleString('en')} sorts were checked and are right.`
        : `${wrong} of ${measured.length} results are WRONG.`,
      failed === 0 ? '' : ` ${failed} could not be measured; the table says why.`,
    ].join('');
  }

  #receive(event: RunEvent): void {
    if (event.kind === 'progress') {
      this.#progress = event.progress;
      this.#progressTimer ??= setTimeout(() => this.#drawProgress(), PROGRESS_INTERVAL);
      return;
    }
    if (this.#results === undefined) return;
    const { cells, choices } = this.#results;
    this.#results = {
      ...this.#results,
      cells: [...cells, ...event.cells],
      choices: event.choice === undefined ? choices : [...choices, event.choice],
    };
    void this.#view.show(this.#results);
  }

  #drawProgress(): void {
    this.#progressTimer = undefined;
    if (this.#progress === undefined) return;
    const { done, left, what } = this.#progress;
    byId('progress-bar', HTMLProgressElement).value = done;
    byId('progress-what').textContent = what;
    byId('progress-left').textContent = left === undefined ? '' : formatLeft(left);
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused;
    if (this.#isPaused) this.#client.pause();
    else this.#client.resume();
    this.#pause.textContent = this.#isPaused ? 'Resume' : 'Pause';
    notify(this.#status, this.#isPaused ? 'The run pauses after the present sort.' : '');
  }

  #setRunning(isRunning: boolean): void {
    this.#isPaused = false;
    this.#pause.textContent = 'Pause';
    this.#run.disabled = isRunning;
    this.#pause.hidden = !isRunning;
    this.#cancel.hidden = !isRunning;
    byId('progress').hidden = !isRunning;
    if (isRunning) {
      byId('progress-bar', HTMLProgressElement).value = 0;
      this.#pause.focus();
    } else if (document.activeElement === document.body || document.activeElement === null) {
      this.#run.focus({ preventScroll: true });
    }
  }

  async #copyLink(): Promise<void> {
    const link = `${location.href.replace(/#.*$/, '')}${toHash(this.#form.read())}`;
    history.replaceState(undefined, '', link);
    try {
      await navigator.clipboard.writeText(link);
      notify(
        this.#status,
        'The link is on the clipboard. The address of this page is the same link.',
      );
    } catch {
      notify(this.#status, 'The clipboard is not available. The address of this page is the link.');
    }
  }
}
