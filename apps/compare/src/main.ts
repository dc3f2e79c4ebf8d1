/** The page: its sections, and the worker that they share. */

import { DataPanel } from './data/panel.js';
import { showFacts } from './device/panel.js';
import { MeasurePanel } from './measure/panel.js';
import { byId, notify } from './page/dom.js';
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

// The animation is further down, so it waits until the first frame is drawn.
requestAnimationFrame(() => {
  import('./watch/view.js').then(({ WatchView }) => new WatchView()).catch(showError);
});

const client = new WorkerClient();
const measuring = new MeasurePanel(client);
const data = new DataPanel(client);

try {
  const facts = await client.request('facts', {});
  showFacts(facts);
  measuring.setFacts(facts);
  data.enable();
} catch (error) {
  byId('device-summary').textContent = 'Nothing can be measured here.';
  notify(pageError, `Nothing can be measured here: ${(error as Error).message}.`, true);
}
