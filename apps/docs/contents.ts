/** The table of contents beside every page. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CODES, readCodes } from './codes.js';
import { pageOf, ROOT, readmesIn, titleOf } from './pages.js';

interface Entry {
  readonly text: string;
  readonly link: string;
}

interface Part {
  readonly text: string;
  readonly items: (Entry | Part)[];
}

/** An entry for a file, by its own title or another one. */
const entry = (file: string, text: string = titleOf(file)): Entry => ({
  text,
  link: `/${pageOf(file)?.replace(/(index)?\.md$/, '')}`,
});

/** A document, by its own title: a page has one name everywhere. */
const doc = (name: string): Entry => entry(`docs/${name}.md`);

const REFERENCE = 'apps/docs/generated/reference';

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
  const overview = 'examples/README.md';
  const examples = [
    ...(existsSync(join(ROOT, overview)) ? [entry(overview)] : []),
    ...readmesIn('examples').map((file) => entry(file)),
  ];
  return [
    {
      text: 'Guides',
      items: [
        ...['start', 'api', 'rows', 'tables', 'every-frame', 'pages', 'choosing-a-backend'].map(
          doc,
        ),
        ...['errors', 'migration', 'limits', 'README'].map(doc),
      ],
    },
    {
      text: 'More than arrays',
      items: [
        ...['webgpu', 'external', 'cluster', 'command-line'].map(doc),
        entry('SECURITY.md'),
        entry('packages/conformance/README.md', 'A backend of your own'),
      ],
    },
    ...(examples.length > 0 ? [{ text: 'Examples', items: examples }] : []),
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
      text: 'How it is built',
      items: [
        entry('ARCHITECTURE.md', 'Overview'),
        ...['dispatcher', 'cpu', 'webgpu', 'webgl2'].map((name) => doc(`architecture/${name}`)),
        entry('CONTRIBUTING.md', 'Contributing'),
        entry('CHANGELOG.md', 'Changes'),
      ],
    },
    {
      text: 'Packages',
      items: readmesIn('packages').map((file) => entry(file)),
    },
    { text: 'Each error and warning', items: codes() },
  ];
}
