/** The answer at the top of the page: the sentence, the two times, and ways to share them. */

import { byId, make, notify, saveBlob } from '../page/dom.js';
import { formatDate, formatLength, formatTime } from '../page/format.js';
import { fileNameOf, type Results } from '../results/record.js';
import { copyResultLink, saveRecord } from '../results/share.js';
import { describeSettings } from '../settings/settings.js';
import { type Answer, answerOf, type Bar } from './answer.js';
import { describeMachine } from './machine.js';

/** Whose results are shown. */
export type Whose = 'new' | 'kept' | 'shared';

export class AnswerView {
  readonly #status = byId('answer-status');
  #results: Results | undefined;
  #answer: Answer | undefined;

  constructor() {
    byId('share-link').addEventListener('click', () => void this.#copyLink());
    byId('share-picture').addEventListener('click', () => void this.#savePicture());
    byId('export-json').addEventListener('click', () => {
      if (this.#results !== undefined) saveRecord(this.#results);
    });
  }

  /** Shows what a run found, also before it is over. */
  show(results: Results, whose: Whose): void {
    this.#results = results;
    this.#answer = answerOf(results, whose === 'shared' ? 'that machine' : 'this machine');
    byId('answer').hidden = this.#answer === undefined;
    if (this.#answer === undefined) return;
    const { headline, gpu, length, bars } = this.#answer;
    byId('answer-headline').textContent = headline;
    byId('answer-gpu').textContent = gpu;
    const what = describeSettings(results.settings);
    byId('answer-length').textContent = `${formatLength(length)} keys (${what}):`;
    const most = Math.max(...bars.map(({ milliseconds }) => milliseconds));
    byId('answer-bars').replaceChildren(...bars.map((bar) => barOf(bar, most)));
    const machine = `${describeMachine(results.facts)}. ${formatDate(results.date)}.`;
    byId('answer-whose').textContent =
      whose === 'shared' ? `Measured by somebody else: ${machine}` : machine;
    notify(this.#status, '');
  }

  hide(): void {
    byId('answer').hidden = true;
  }

  async #copyLink(): Promise<void> {
    if (this.#results !== undefined) notify(this.#status, await copyResultLink(this.#results));
  }

  async #savePicture(): Promise<void> {
    if (this.#results === undefined || this.#answer === undefined) return;
    const { pictureOf } = await import('./picture.js');
    saveBlob(fileNameOf(this.#results, 'png'), await pictureOf(this.#answer, this.#results));
  }
}

/** A time as a bar; `most` is as wide as there is room. */
function barOf({ name, milliseconds }: Bar, most: number): HTMLElement {
  return make(
    'div',
    {},
    make('dt', {}, name),
    make(
      'dd',
      {},
      make('span', {
        class: 'bar-length',
        style: `--share: ${(milliseconds / most).toFixed(4)}`,
        'aria-hidden': 'true',
      }),
      make('strong', {}, formatTime(milliseconds)),
    ),
  );
}
