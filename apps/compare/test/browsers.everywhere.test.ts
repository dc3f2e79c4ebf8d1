/** The built page in every browser: it measures, has no error, and can be seen on a phone. */

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  type Display,
  findFirefox,
  findWebKit,
  NO_DISPLAY,
  NOT_INSTALLED,
  startDisplay,
} from '../../../tools/test/browsers.js';
import { serveTrial } from '../../../tools/test/trial.js';
import { toHash } from '../src/settings/permalink.js';
import { DEFAULTS, type Settings } from '../src/settings/settings.js';
import { tryPage } from './in-page.js';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const SETTINGS: Settings = { ...DEFAULTS, lengths: [500, 200_000], samples: 2, rivals: ['cpu'] };

let display: Display | undefined;
beforeAll(async () => {
  display = await startDisplay();
});
afterAll(() => display?.close());

const browsers: [string, () => Browser | string][] = [
  ['Chromium', () => CHROMIUM],
  ['Firefox', () => findFirefox() ?? NOT_INSTALLED],
  ['WebKitGTK', () => (display ? (findWebKit(display) ?? NOT_INSTALLED) : NO_DISPLAY)],
];

describe('the page measures without an error, and all of it can be seen, in', () => {
  it.for(browsers)('%s', async ([name, find], { skip }) => {
    const browser = find();
    if (typeof browser === 'string') return skip(`${name}: ${browser}`);
    const task = { hash: toHash(SETTINGS), widths: [1440, 768, 360] };
    const trial = await serveTrial(DIST, tryPage, task);
    try {
      expect(await browser.visit(trial.url, trial.found)).toEqual({
        problems: [],
        status: expect.stringMatching(/^Done\. All [\d,]+ sorts were checked and are right\.$/),
        // The built-in sort's and the CPU's, for each length.
        rows: 4,
      });
    } finally {
      await trial.close();
    }
  });
});
