/** VitePress's own theme, with the fonts of the reader's system, and blocks that run. */

import type { Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { ExampleCards } from './example-cards.js';
import { RecordsChart, RecordsTable } from './records-table.js';
import { Tabs } from './tabs.js';
import './style.css';
import './runnable.css';
import './tabs.css';
import './records.css';
import './cards.css';

/** The code that runs blocks comes when the first of them is touched. */
const loadRunner = () => import('./run-block.js');

function listen(): void {
  const blockOf = ({ target }: Event) => (target as Element).closest?.('.runnable');
  for (const touch of ['pointerdown', 'focusin']) {
    document.addEventListener(touch, (event) => {
      if (blockOf(event)) void loadRunner();
    });
  }
  document.addEventListener('click', async ({ target }) => {
    const button = (target as Element).closest('.runnable .run button');
    if (button) (await loadRunner()).runBlock(button);
  });
}

export default {
  extends: theme,
  enhanceApp: ({ app }) => {
    // Documents name them.
    app.component('ExampleCards', ExampleCards);
    app.component('RecordsChart', RecordsChart);
    app.component('RecordsTable', RecordsTable);
    app.component('Tabs', Tabs);
    if (!import.meta.env.SSR) listen();
  },
} satisfies Theme;
