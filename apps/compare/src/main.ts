/** The page: its sections, and the worker that they share. */

import { nextTask } from '@keysweep/core';
import { DataPanel } from './data/panel.js';
import { showFacts } from './device/panel.js';
import { MeasurePanel } from './measure/panel.js';
import { byId, copyText, notify } from './page/dom.js';
import { Stillness } from './page/stillness.js';
import { WorkerClient } from './worker/client.js';

const pageError = byId('page-error');

/** Shows an uncaught error on the page, because few readers open a console. */
const showError = (error: unknown): void =>
  notify(
    pageError,
    `Something went wrong: ${error instanceof Error ? error.message : String(error)}`,
    true,
  );
addEventListener('error', (event) => showError(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => showError(event.reason));

const stillness = new Stillness();

// The animation is further down, so it waits until the first frame is drawn.
requestAnimationFrame(() => {
  import('./watch/view.js')
    .then(({ WatchView }) => stillness.add(new WatchView()))
    .catch(showError);
});

const client = new WorkerClient();
const measuring = new MeasurePanel(client, stillness);
// A task of its own, as each part of the page is drawn in one.
await nextTask();
const data = new DataPanel(client, stillness);

byId('copy-install').addEventListener('click', async ({ currentTarget }) => {
  const button = currentTarget as HTMLButtonElement;
  const isCopied = await copyText(byId('install').textContent);
  button.textContent = isCopied ? 'Copied' : 'Not possible here';
});

try {
  const facts = await client.request('facts', {});
  showFacts(facts);
  measuring.setFacts(facts);
  data.enable();
} catch (error) {
  byId('device-summary').textContent = 'Nothing can be measured here.';
  notify(pageError, `Nothing can be measured here: ${(error as Error).message}.`, true);
}

// The cloud takes two processor cores, so it waits until the machine is known.
if ('OffscreenCanvas' in globalThis) {
  import('./cloud/view.js')
    .then(({ CloudView }) => stillness.add(new CloudView()))
    .catch(showError);
} else {
  byId('cloud').hidden = true;
}
