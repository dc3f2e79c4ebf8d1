/** VitePress's own theme, with the fonts of the reader's system, and blocks that run. */

import { onContentUpdated, type Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { type Component, h, defineAsyncComponent as whenShown } from 'vue';
import { Tabs } from './tabs.js';
import './style.css';
import './runnable.css';
import './tabs.css';
import './records.css';
import './cards.css';
import './name-types.css';

/** The code that runs blocks comes when the first of them is touched, */
const loadRunner = () => import('./run-block.js');
/** and that which tells the types of names when one is pointed at. */
const loadTypes = () => import('./name-types.js');

/** Lists of examples and of records come with the one page that shows each. */
const loadCards = () => import('./example-cards.js');
const loadRecords = () => import('./records-table.js');

const CODE = '.language-js, .language-ts, .name-type';

function listenForNames(): void {
  /** Whether the last event was in a block of code, so that something may be shown. */
  let wasInCode = false;
  // A finger doesn't move over a name, but taps it.
  for (const kind of ['pointermove', 'pointerdown'] as const) {
    document.addEventListener(kind, async (event) => {
      const isInCode = Boolean((event.target as Element).closest?.(CODE));
      const isAsked = isInCode || wasInCode;
      wasInCode = isInCode;
      if (isAsked) (await loadTypes()).pointAt(event);
    });
  }
  document.addEventListener('selectionchange', async () => {
    const { anchorNode } = getSelection() ?? {};
    if (anchorNode?.parentElement?.closest(CODE)) (await loadTypes()).readCaret();
  });
  document.addEventListener('keydown', async ({ key }) => {
    if (key === 'Escape' && document.querySelector('.name-type')) (await loadTypes()).hideType();
  });
}

function listen(): void {
  listenForNames();
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

/** The theme's pages have a main part, but for the first page, whose main part is all of it. */
const Layout = {
  setup() {
    onContentUpdated(() => {
      const content = document.querySelector('#VPContent');
      if (content?.classList.contains('is-home')) content.setAttribute('role', 'main');
      else content?.removeAttribute('role');
    });
    return () => h(theme.Layout as Component);
  },
};

export default {
  extends: theme,
  Layout,
  enhanceApp: ({ app }) => {
    // Documents name them.
    const add = (name: string, load: () => Promise<Component>) =>
      app.component(name, whenShown(load));
    add('ExampleCards', async () => (await loadCards()).ExampleCards);
    add('RecordsChart', async () => (await loadRecords()).RecordsChart);
    add('RecordsTable', async () => (await loadRecords()).RecordsTable);
    app.component('Tabs', Tabs);
    if (!import.meta.env.SSR) listen();
  },
} satisfies Theme;
