/** The section "Measure": the form, the run, its progress, its results. */

import type { Facts } from '../device/facts.js';
import { byId, notify } from '../page/dom.js';
import { formatLeft } from '../page/format.js';
import type { Results } from '../results/record.js';
import { ResultsView } from '../results/view.js';
import { SettingsForm } from '../settings/form.js';
import { fromHash, toHash } from '../settings/permalink.js';
import { Cancelled, type Link } from '../worker/client.js';
import type { Progress, RunNews } from './run.js';

/** Milliseconds between two looks at the progress: each costs the sorts some of the processor. */
const BREATH = 150;

export class MeasurePanel {
  readonly #link: Link;
  readonly #form: SettingsForm;
  readonly #view = new ResultsView();
  readonly #news = byId('run-news');
  readonly #run = byId('run', HTMLButtonElement);
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  #facts: Facts | undefined;
  #results: Results | undefined;
  #isPaused = false;
  /** The latest, shown when it is time. */
  #progress: Progress | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(link: Link) {
    this.#link = link;
    this.#form = new SettingsForm(fromHash(location.hash));
    this.#form.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#measure();
    });
    this.#pause.addEventListener('click', () => this.#togglePause());
    this.#cancel.addEventListener('click', () => link.cancel());
    byId('copy-link').addEventListener('click', () => void this.#copyLink());
    addEventListener('hashchange', () => {
      // Links to a section are no settings.
      if (location.hash.includes('=')) this.#form.write(fromHash(location.hash));
    });
  }

  /** What there is here: the form can be used now. */
  learn(facts: Facts): void {
    this.#facts = facts;
    this.#form.learn(facts);
    this.#run.disabled = false;
  }

  async #measure(): Promise<void> {
    const complaint = this.#form.complaint();
    if (complaint !== undefined || this.#facts === undefined) {
      notify(this.#news, complaint ?? 'The browser has not answered yet.', true);
      return;
    }
    const settings = this.#form.read();
    history.replaceState(undefined, '', toHash(settings));
    const date = new Date().toISOString();
    this.#results = { date, settings, facts: this.#facts, cells: [], choices: [], whole: false };
    this.#setRunning(true);
    // What drives the page from outside can wait for it, and for the last drawing.
    document.body.dataset.run = 'running';
    notify(this.#news, '');
    try {
      await this.#link.ask('measure', { settings }, (news) => this.#hear(news));
      this.#results = { ...this.#results, whole: true };
      notify(this.#news, `Done. ${this.#tally()}`);
    } catch (error) {
      if (error instanceof Cancelled) notify(this.#news, `Cancelled. ${this.#tally()}`);
      else notify(this.#news, `The run ended: ${(error as Error).message}. ${this.#tally()}`, true);
    } finally {
      this.#setRunning(false);
    }
    await this.#view.show(this.#results);
    document.body.dataset.run = 'over';
  }

  /** "All 80 sorts checked and right.", or what is wrong. */
  #tally(): string {
    const { cells = [] } = this.#results ?? {};
    const measured = cells.filter(({ samples }) => samples.length > 0);
    if (measured.length === 0) return 'Nothing was measured.';
    const sorts = measured.reduce((sum, { verified }) => sum + verified, 0);
    const wrong = cells.filter(({ fault }) => fault !== undefined).length;
    const failed = cells.filter(({ error, skipped }) => error !== undefined && !skipped).length;
    return [
      wrong === 0
        ? `All ${sorts.toLocaleString('en')} sorts checked and right.`
        : `${wrong} of ${measured.length} results were WRONG.`,
      failed === 0 ? '' : ` ${failed} could not be measured: see below why.`,
    ].join('');
  }

  #hear(news: RunNews): void {
    if (news.kind === 'progress') {
      this.#progress = news.progress;
      this.#telling ??= setTimeout(() => this.#tellProgress(), BREATH);
      return;
    }
    if (this.#results === undefined) return;
    const { cells, choices } = this.#results;
    this.#results = {
      ...this.#results,
      cells: [...cells, ...news.cells],
      choices: news.choice === undefined ? choices : [...choices, news.choice],
    };
    void this.#view.show(this.#results);
  }

  #tellProgress(): void {
    this.#telling = undefined;
    if (this.#progress === undefined) return;
    const { done, left, what } = this.#progress;
    byId('progress-bar', HTMLProgressElement).value = done;
    byId('progress-what').textContent = what;
    byId('progress-left').textContent = left === undefined ? '' : formatLeft(left);
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused;
    if (this.#isPaused) this.#link.pause();
    else this.#link.resume();
    this.#pause.textContent = this.#isPaused ? 'Go on' : 'Pause';
    notify(this.#news, this.#isPaused ? 'Paused once the present sort is done.' : '');
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
      notify(this.#news, 'The link is on the clipboard; the address of this page is the same.');
    } catch {
      notify(
        this.#news,
        'The clipboard is out of reach: the address of this page now is the link.',
      );
    }
  }
}
