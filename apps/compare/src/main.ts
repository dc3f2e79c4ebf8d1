/** The page: its sections, and the worker that they share. */

import { DataPanel } from './data/panel.js';
import { showFacts } from './device/panel.js';
import { MeasurePanel } from './measure/panel.js';
import { byId, notify } from './page/dom.js';
import { Link } from './worker/client.js';

const trouble = byId('trouble');

/** Whatever nobody caught is said on the page: few look into a console. */
const tell = (error: unknown): void =>
  notify(
    trouble,
    `Something went wrong: ${error instanceof Error ? error.message : String(error)}`,
    true,
  );
addEventListener('error', (event) => tell(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => tell(event.reason));

// What is further down waits until the first picture is there.
requestAnimationFrame(() => {
  import('./watch/view.js').then(({ WatchView }) => new WatchView()).catch(tell);
});

const link = new Link();
const measuring = new MeasurePanel(link);
const data = new DataPanel(link);

try {
  const facts = await link.ask('look', {});
  showFacts(facts);
  measuring.learn(facts);
  data.learn(facts);
} catch (error) {
  byId('device-summary').textContent = 'Nothing can be measured here.';
  notify(trouble, `Nothing can be measured here: ${(error as Error).message}.`, true);
}
