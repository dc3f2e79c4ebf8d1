/** The first screen: what stands above the README, and beside its first example. */

import { COMPARE } from './pages.js';

export const HERO = {
  name: 'keysweep',
  text: 'sorts typed arrays on the GPU, or on all CPU cores',
  tagline:
    'One function, the order of TypedArray.prototype.sort, and the backend that is fastest here.',
  actions: [
    { theme: 'brand', text: 'Start', link: '/start' },
    { theme: 'alt', text: 'Questions', link: '/questions' },
    { theme: 'alt', text: 'When not to use it', link: '/limits#when-not-to-use-it' },
    // A page of its own, which the router of this site doesn't know.
    { theme: 'alt', text: 'Measure this machine', link: COMPARE, target: '_self' },
  ],
} as const;

/**
 * What follows the first example. The chart has a plain address, because a script that tells it
 * would be one more that the page waits for: Vite makes one of a file that two pages show.
 */
export const CHART = `<div class="chart" tabindex="0">
<img :src="'/charts/cpu.svg'" width="900" height="356" fetchpriority="low"
  alt="Keys a second by numbers of keys: keysweep, and the built-in sort, on two cores">
</div>
<p>Two cores, Node 20: <a href="/performance.html">more measurements</a>, or
<a href="${COMPARE}" target="_self">measure this machine</a>.</p>
`;
