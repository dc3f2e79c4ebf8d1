/** The page: its sections, and the worker that they share. */

import { nextTask } from '@keysweep/core';
import { DataPanel } from './data/panel.js';
import { showFacts } from './device/panel.js';
import { MeasurePanel } from './measure/panel.js';
import { byId, copyText, notify, showErrors } from './page/dom.js';
import { Stillness } from './page/stillness.js';
import { WorkerClient } from './worker/client.js';

const pageError = byId('page-error');
const showError = showErrors(pageError);

const stillness = new Stillness();

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
  data.enable(facts);
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
