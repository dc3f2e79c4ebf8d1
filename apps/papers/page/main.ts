/** The page of the papers' sorts. */

import { byId, showErrors } from '@keysweep/compare/page/dom.js';
import { Stillness } from '@keysweep/compare/page/stillness.js';
import { GalleryView } from './gallery/view.js';

showErrors(byId('page-error'));

const stillness = new Stillness();
stillness.add(new GalleryView(stillness).controls);
