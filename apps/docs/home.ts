/** What stands above the README on the first page. */

export const HERO = {
  name: 'keysweep',
  text: 'sorts typed arrays on the GPU, or on all CPU cores',
  tagline:
    'The order of TypedArray.prototype.sort, by one function that picks what is fastest here.',
  actions: [
    { theme: 'brand', text: 'Start in five lines', link: '/start' },
    { theme: 'alt', text: 'When not to use it', link: '/when-not' },
    { theme: 'alt', text: 'All functions', link: '/api' },
  ],
} as const;

export const FEATURES = [
  {
    title: 'Drop-in',
    details: 'Every typed array, NaN last, stable pairs and argsort. No bit is lost.',
    link: '/migration',
    linkText: 'Coming from another sort',
  },
  {
    title: 'Where you are',
    details: 'Node, Bun, Deno, bundlers, Next.js, import maps, strict policies: each has a test.',
    link: '/everywhere',
    linkText: 'Tools tried',
  },
  {
    title: 'Tables and frames',
    details: 'Columns, nulls, strings, Arrow. At once in a render loop, or in GPU buffers.',
    link: '/tables',
    linkText: 'Tables',
  },
  {
    title: 'Nothing is silent',
    details:
      'A report says which backend sorted, and why. Each loss of speed has a code and a remedy.',
    link: '/codes',
    linkText: 'Errors and warnings',
  },
] as const;
