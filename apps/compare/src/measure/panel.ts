/** Measuring: the form, the run, its progress, its results, and those that a link brings. */

import { AnswerView, type Whose } from '../answer/view.js';
import type { Facts } from '../device/facts.js';
import { byId, copyText, notify, warn } from '../page/dom.js';
import { formatLeft } from '../page/format.js';
import { keepResults, keptResults } from '../results/kept.js';
import { fromResultHash, isResultHash } from '../results/link.js';
import type { Results } from '../results/record.js';
import { ResultsView } from '../results/view.js';
import type { Progress, RunEvent } from '../run/events.js';
import { fromHash, toHash } from '../settings/permalink.js';
import { DEFAULTS, type Settings } from '../settings/settings.js';
import { Cancelled, type WorkerClient } from '../worker/client.js';
import { SettingsForm } from './form.js';

/** Milliseconds between two drawings of the progress: each takes processor time from the sorts. */
const PROGRESS_INTERVAL = 150;

export class MeasurePanel {
  readonly #client: WorkerClient;
  readonly #form: SettingsForm;
  readonly #answer = new AnswerView();
  readonly #view = new ResultsView();
  readonly #status = byId('run-status');
  readonly #run = byId('run', HTMLButtonElement);
  readonly #runSettings = byId('run-settings', HTMLButtonElement);
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  #facts: Facts | undefined;
  #results: Results | undefined;
  #isRunning = false;
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
    this.#form.form.addEventListener('change', () => this.#tellTime());
    this.#pause.addEventListener('click', () => this.#togglePause());
    this.#cancel.addEventListener('click', () => client.cancel());
    byId('copy-link').addEventListener('click', () => void this.#copyLink());
    addEventListener('hashchange', () => void this.#follow());
    this.#tellTime();
    void this.#follow();
  }

  /** Enables the form for this machine. */
  setFacts(facts: Facts): void {
    this.#facts = facts;
    this.#form.setFacts(facts);
    this.#run.disabled = false;
    this.#runSettings.disabled = false;
  }

  /** Shows what the address says: settings, or the results of a link; else those kept here. */
  async #follow(): Promise<void> {
    const { hash } = location;
    if (this.#isRunning) return;
    if (isResultHash(hash)) {
      const shared = await fromResultHash(hash);
      if (shared !== undefined) this.#present(shared, 'shared');
      else warn(this.#status, 'The link is damaged: it holds no whole result.');
      return;
    }
    // Links to a section are no settings.
    if (hash.includes('=')) this.#form.write(fromHash(hash));
    this.#tellTime();
    const own = this.#results === undefined ? keptResults() : undefined;
    if (own !== undefined) this.#present(own, 'kept');
  }

  #present(results: Results, whose: Whose): void {
    this.#results = results;
    // The settings of an address are what its reader wants to measure.
    if (whose === 'shared' || !location.hash.includes('=')) this.#form.write(results.settings);
    this.#tellTime();
    this.#answer.show(results, whose);
    void this.#view.show(results);
  }

  /** How long a run takes is known beforehand of the settings that the page begins with. */
  #tellTime(): void {
    const { lengths, samples, payload, rivals, calibrate } = this.#form.read();
    const isShort =
      Math.max(...lengths) <= Math.max(...DEFAULTS.lengths) &&
      samples <= DEFAULTS.samples &&
      lengths.length <= DEFAULTS.lengths.length &&
      rivals.every((rival) => DEFAULTS.rivals.includes(rival)) &&
      payload === 'none' &&
      !calibrate;
    byId('run-about').textContent = isShort
      ? 'About five seconds. No data leaves this page.'
      : 'The time it takes is shown once it runs. No data leaves this page.';
  }

  async #measure(): Promise<void> {
    const problem = this.#form.problem();
    if (problem !== undefined || this.#facts === undefined) {
      warn(this.#status, problem ?? 'The browser has not answered yet.');
      return;
    }
    if (this.#isRunning) return;
    const settings = this.#form.read();
    history.replaceState(undefined, '', toHash(settings));
    const date = new Date().toISOString();
    this.#results = { date, settings, facts: this.#facts, cells: [], choices: [], whole: false };
    this.#setRunning(true);
    // Tests wait for this attribute, and with it for the last drawing.
    document.body.dataset.run = 'running';
    notify(this.#status, '');
    this.#answer.hide();
    await this.#runOnce(settings);
    await this.#showAll();
    document.body.dataset.run = 'over';
  }

  /** Runs, and says how it ended. */
  async #runOnce(settings: Settings): Promise<void> {
    try {
      await this.#client.request('measure', { settings }, (event) => this.#receive(event));
      if (this.#results !== undefined) this.#results = { ...this.#results, whole: true };
      notify(this.#status, `Done. ${this.#countsText()}`);
    } catch (error) {
      const counts = this.#countsText();
      if (error instanceof Cancelled) notify(this.#status, `Cancelled. ${counts}`);
      else warn(this.#status, `The run ended: ${(error as Error).message}. ${counts}`);
    } finally {
      clearTimeout(this.#progressTimer);
      this.#progressTimer = undefined;
      this.#progress = undefined;
      this.#setRunning(false);
    }
  }

  /** Shows the results of a run that is over, and keeps them. */
  async #showAll(): Promise<void> {
    if (this.#results === undefined) return;
    this.#answer.show(this.#results, 'new');
    if (this.#results.cells.length > 0) keepResults(this.#results);
    await this.#view.show(this.#results);
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
    this.#view.showSoFar(this.#results);
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
    this.#isRunning = isRunning;
    this.#isPaused = false;
    this.#pause.textContent = 'Pause';
    this.#run.disabled = isRunning;
    this.#runSettings.disabled = isRunning;
    this.#pause.hidden = !isRunning;
    this.#cancel.hidden = !isRunning;
    byId('progress').hidden = !isRunning;
    byId('run-about').hidden = isRunning;
    if (isRunning) {
      byId('progress-bar', HTMLProgressElement).value = 0;
      byId('progress-what').textContent = 'Starting';
      byId('progress-left').textContent = '';
      this.#pause.focus();
    } else if (document.activeElement === document.body || document.activeElement === null) {
      this.#run.focus({ preventScroll: true });
    }
  }

  async #copyLink(): Promise<void> {
    const link = `${location.href.replace(/#.*$/, '')}${toHash(this.#form.read())}`;
    history.replaceState(undefined, '', link);
    notify(
      byId('settings-status'),
      (await copyText(link))
        ? 'The link is on the clipboard. The address of this page is the same link.'
        : 'The clipboard is not available. The address of this page is the link.',
    );
  }
}
