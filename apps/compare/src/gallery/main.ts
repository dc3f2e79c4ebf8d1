/** The page of the gallery. */

import { byId, notify } from '../page/dom.js';
import { GalleryView } from './view.js';

/** Shows an uncaught error on the page, because few readers open a console. */
const showError = (error: unknown): void =>
  notify(
    byId('page-error'),
    `Something went wrong: ${error instanceof Error ? error.message : String(error)}`,
    true,
  );
addEventListener('error', (event) => showError(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => showError(event.reason));

new GalleryView();
