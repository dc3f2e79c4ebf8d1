/** The page: its sections, and the worker that they share. */

import { nextTask } from '@keysweep/core';
import { DataPanel } from './data/panel.js';
import { showFacts } from './device/panel.js';
import { MeasurePanel } from './measure/panel.js';
import { byId, copyText, showErrors, warn } from './page/dom.js';
import { WorkerClient } from './worker/client.js';

const pageError = byId('page-error');
showErrors(pageError);

const client = new WorkerClient();
const measuring = new MeasurePanel(client);
// A task of its own, as each part of the page is drawn in one.
await nextTask();
const data = new DataPanel(client);

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
  warn(pageError, `Nothing can be measured here: ${(error as Error).message}.`);
}
