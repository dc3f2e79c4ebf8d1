/** The site: the repository's documents where they lie, and the reference that typedoc writes. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { writeCodes } from '../codes.js';
import { contents, navigation } from '../contents.js';
import { HERO } from '../home.js';
import { withRepository } from '../markdown.js';
import { LEFT_OUT, pageOf, ROOT, SOURCE, slugOf } from '../pages.js';
import { ISOLATION } from '../preview.config.js';
import { comparePage, writeBeside } from '../served-beside.js';
import { readVersions, versionMenu } from '../versions.js';

writeCodes();

/** Where the site is, because images of previews need whole addresses. */
const { KEYSWEEP_SITE: SITE = '/' } = process.env;

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
    ['link', { rel: 'icon', href: '/logo.svg' }],
    ['link', { rel: 'alternate', type: 'application/rss+xml', href: '/changelog.xml' }],
    // Before anything is shown: without scripts, tabs show all that they have.
    ['script', {}, "document.documentElement.classList.add('script')"],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  transformHead: ({ title, description, pageData: { relativePath } }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
    ['meta', { property: 'og:image', content: `${SITE}compare/preview.jpg` }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  // The site begins with the README, below a title and a few ways on.
  transformPageData({ filePath, frontmatter }) {
    // There is nothing to edit in what is written for the site.
    if (filePath.includes('/generated/'))
      return { frontmatter: { ...frontmatter, editLink: false } };
    if (filePath !== 'README.md') return undefined;
    return { frontmatter: { ...frontmatter, layout: 'home', hero: HERO } };
  },
  markdown: {
    anchor: { slugify: slugOf },
    // Comments of the usual themes are too pale to be read by everybody.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: withRepository,
  },
  buildEnd: writeBeside,
  vite: {
    // Neither VitePress nor this theme has components of the older kind.
    define: { __VUE_OPTIONS_API__: 'false' },
    // The search's index is one large file.
    build: { chunkSizeWarningLimit: 2000 },
    publicDir: here('../public'),
    // The style of a search that isn't used here: it was an eighth of each page's style.
    resolve: { alias: { '@docsearch/css': here('theme/no-other-search.css') } },
    // Other apps of the repository have pages, too.
    optimizeDeps: { entries: [] },
    worker: { format: 'es' },
    plugins: [comparePage()],
    // Blocks that run have all cores.
    server: { headers: ISOLATION },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [...navigation(), versionMenu(readVersions())],
    sidebar: contents(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // The inner parts are for those who change keysweep.
        _render: (text, env, md) =>
          env.relativePath.includes('reference/@keysweep/core') ? '' : md.render(text, env),
        miniSearch: {
          searchOptions: {
            // Guides come before the reference. VitePress runs a copy of this in the page.
            boostDocument: (id) =>
              /^\/(reference|packages|changelog|architecture|codes)/.test(id) ? 0.1 : 1,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: SOURCE }],
    editLink: { pattern: `${SOURCE}/edit/main/:path` },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
