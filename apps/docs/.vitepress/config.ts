/** The site: the repository's documents where they lie, and the reference that typedoc writes. */

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { writeCodes } from '../codes.js';
import { contents } from '../contents.js';
import { FEATURES, HERO } from '../home.js';
import { LEFT_OUT, linkedFrom, linkFrom, pageOf, ROOT, SOURCE, slugOf, titleOf } from '../pages.js';

writeCodes();

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  title: 'keysweep',
  description: 'A sort for typed arrays, on the GPU or on all CPU cores',
  lang: 'en',
  srcDir: ROOT,
  srcExclude: [...LEFT_OUT],
  outDir: here('../dist'),
  cacheDir: here('../generated/cache'),
  rewrites: (file) => pageOf(file) ?? file,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon())}` }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  // The site begins with the README, below a title and a few ways on.
  transformPageData({ filePath, frontmatter }) {
    // There is nothing to edit in what is written for the site.
    if (filePath.includes('/generated/'))
      return { frontmatter: { ...frontmatter, editLink: false } };
    if (filePath !== 'README.md') return undefined;
    return { frontmatter: { ...frontmatter, layout: 'home', hero: HERO, features: FEATURES } };
  },
  markdown: {
    anchor: { slugify: slugOf },
    // Comments of the usual themes are too pale to be read by everybody.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
        const file = relative(ROOT, env.realPath ?? env.path);
        // Its title stands above.
        if (file === 'README.md') tokens.splice(0, 3);
        for (const { children } of tokens) {
          for (const [i, token] of (children ?? []).entries()) {
            const href = token.type === 'link_open' ? token.attrGet('href') : null;
            if (href === null) continue;
            token.attrSet('href', linkFrom(file, href));
            // A link that is called by the name of a page's file gets the page's title.
            const label = children?.[i + 1];
            const linked = linkedFrom(file, href);
            if (label && /^[\w/-]+\.md$/.test(label.content) && pageOf(linked)) {
              label.content = titleOf(linked);
            }
          }
        }
      });
      // A table that is wider than the page is scrolled, by keys too.
      md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
      md.renderer.rules.table_close = () => '</table></div>\n';
    },
  },
  buildEnd: ({ outDir }) => {
    console.log(`The site is in ${relative(ROOT, outDir)}. npm run docs:dev serves it.`);
  },
  vite: {
    // The search's index is one large file.
    build: { chunkSizeWarningLimit: 2000 },
    publicDir: here('../public'),
    // Other apps of the repository have pages, too.
    optimizeDeps: { entries: [] },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/contents' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Benchmarks', link: '/performance' },
    ],
    sidebar: contents(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: SOURCE }],
    editLink: { pattern: `${SOURCE}/edit/main/:path` },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});

/** Three bars in order. */
function icon(): string {
  const bars = [6, 13, 20].map(
    (height, i) =>
      `<rect x="${3 + 9 * i}" y="${26 - height}" width="7" height="${height}" rx="1"/>`,
  );
  const svg = 'http://www.w3.org/2000/svg';
  return `<svg xmlns="${svg}" viewBox="0 0 31 29" fill="#3a6ea5">${bars.join('')}</svg>`;
}
