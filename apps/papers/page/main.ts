/** The page of the papers' sorts, and of keysweep's own. */

import { byId, showErrors } from '@keysweep/compare/page/dom.js';
import { Stillness } from '@keysweep/compare/page/stillness.js';
import { GalleryView } from './gallery/view.js';
import { WatchView } from './watch/view.js';

showErrors(byId('page-error'));

const stillness = new Stillness();
stillness.add(new GalleryView(stillness).controls);
stillness.add(new WatchView());
