/** What stands above the README on the first page. */

export const HERO = {
  name: 'keysweep',
  text: 'sorts typed arrays on the GPU, or on all CPU cores',
  tagline:
    'One function, the order of TypedArray.prototype.sort, and the backend that is fastest here.',
  actions: [
    { theme: 'brand', text: 'Start', link: '/start' },
    { theme: 'alt', text: 'Sort typed arrays', link: '/api' },
    { theme: 'alt', text: 'When not to use it', link: '/limits#when-not-to-use-it' },
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
    link: '/pages',
    linkText: 'Pages and bundlers',
  },
  {
    title: 'Tables and frames',
    details: 'Columns, nulls, strings, Arrow. Without await in a render loop, or in GPU buffers.',
    link: '/tables',
    linkText: 'Tables',
  },
  {
    title: 'Nothing is silent',
    details:
      'A report says which backend sorted, and why. Each loss of speed has a code and a remedy.',
    link: '/errors',
    linkText: 'Errors and warnings',
  },
] as const;
