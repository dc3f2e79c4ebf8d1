/** VitePress's own theme, with the fonts of the reader's system. */

import type { Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { RecordsTable } from './records-table.js';
import './style.css';

export default {
  extends: theme,
  enhanceApp: ({ app }) => {
    // docs/records.md names it.
    app.component('RecordsTable', RecordsTable);
  },
} satisfies Theme;
