/** The table of contents beside every page, and the navigation above it. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CODES, readCodes } from './codes.js';
import { pageOf, ROOT, readmesIn, titleOf } from './pages.js';

interface Entry {
  readonly text: string;
  readonly link: string;
}

export interface Part {
  readonly text: string;
  readonly items: Entry[];
}

/** An entry for a file, by its own title or another one. */
const entry = (file: string, text: string = titleOf(file)): Entry => ({
  text,
  link: `/${pageOf(file)?.replace(/(index)?\.md$/, '')}`,
});

/** A document, by its own title: a page has one name everywhere. */
const doc = (name: string): Entry => entry(`docs/${name}.md`);

const REFERENCE = 'apps/docs/generated/reference';

/** The way to each part, above every page. */
export const navigation = (): Entry[] => [
  ...['docs/start.md', 'docs/questions.md', 'docs/README.md', 'examples/README.md'].map((file) =>
    entry(file),
  ),
  { text: 'Reference', link: '/reference/' },
  doc('performance'),
];

/** The modules of the reference, those that typedoc has written. */
function modules(): Entry[] {
  const folder = join(ROOT, REFERENCE);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => entry(`${REFERENCE}/${file}`, file.replace(/\.md$/, '')))
    .sort((a, b) => Number(a.text[0] === '@') - Number(b.text[0] === '@'));
}

/** The page of each error and warning. */
const codes = (): Entry[] =>
  [...readCodes().keys()].map((name) => entry(`${CODES}/${name}.md`, name));

/** All pages, in the order in which a reader may want them. */
export function contents(): Part[] {
  return [
    {
      text: 'Start',
      items: ['start', 'questions', 'api', 'migration', 'limits', 'README'].map(doc),
    },
    { text: 'Tables and rows', items: ['rows', 'grids', 'tables'].map(doc) },
    { text: 'GPU', items: ['gpu-buffers', 'webgpu', 'every-frame', 'choosing-a-backend'].map(doc) },
    { text: 'Pages', items: ['pages', 'errors'].map(doc) },
    {
      text: 'Files and clusters',
      items: [...['external', 'cluster', 'command-line'].map(doc), entry('SECURITY.md')],
    },
    {
      text: 'Examples',
      items: ['examples/README.md', ...readmesIn('examples')].map((file) => entry(file)),
    },
    {
      text: 'Figures',
      items: [
        ...['performance', 'performance-gpu'].map(doc),
        entry('apps/papers/README.md'),
        ...['records', 'benchmarks'].map(doc),
      ],
    },
    { text: 'Reference', items: [...modules(), doc('glossary')] },
    {
      text: 'How it works',
      items: [
        entry('ARCHITECTURE.md'),
        ...['dispatcher', 'cpu', 'webgpu', 'webgl2', 'hundred-terabytes'].map((name) =>
          doc(`architecture/${name}`),
        ),
        ...['CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => entry(file)),
      ],
    },
    {
      text: 'Packages',
      items: readmesIn('packages').map((file) => entry(file)),
    },
    { text: 'Each error and warning', items: codes() },
  ];
}
