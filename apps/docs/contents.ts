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

const doc = (name: string, text?: string): Entry => entry(`docs/${name}.md`, text);

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
      text: 'Start',
      items: [
        doc('start', 'In five lines'),
        doc('when-not', 'When not to use it'),
        doc('migration', 'Coming from another sort'),
        doc('README', 'All documents'),
      ],
    },
    {
      text: 'Guides',
      items: [
        doc('choosing-a-backend'),
        doc('every-frame', 'Every frame, without await'),
        doc('tables', 'Tables, nulls, strings'),
        doc('webgpu', 'Data on the GPU'),
        doc('pages', 'In a page'),
        doc('bundlers', 'Bundlers, import maps, tests'),
        doc('servers', 'Isolation, security policy'),
        entry('SECURITY.md', 'Who may be hostile'),
        doc('next', 'Next.js'),
        doc('external', 'Files larger than memory'),
        doc('cluster', 'Many machines'),
        doc('recipes', 'Recipes for libraries'),
        entry('packages/conformance/README.md', 'A backend of your own'),
        doc('command-line', 'Command line'),
      ],
    },
    ...(examples.length > 0 ? [{ text: 'Examples', items: examples }] : []),
    {
      text: 'When something is wrong',
      items: [
        doc('codes', 'Errors and warnings'),
        doc('errors', 'When something breaks'),
        doc('limits', 'Limits, memory, lengths'),
      ],
    },
    {
      text: 'Figures',
      items: [
        doc('performance', 'On the CPU'),
        doc('performance-gpu', 'RadixSorter on a GPU'),
        entry('apps/papers/README.md', 'The papers, measured again'),
        doc('everywhere', 'Tools tried'),
        doc('records', 'All records, and yours'),
        doc('benchmarks', 'How to repeat them'),
      ],
    },
    {
      text: 'Reference',
      items: [doc('api', 'All functions on one page'), ...modules(), doc('glossary', 'Words')],
    },
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
