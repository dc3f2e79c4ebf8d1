/** Tabs of the site, as Markdown becomes HTML: blocks that install, and sections between marks. */

import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import { withRepository } from '../markdown.js';
import { ROOT } from '../pages.js';

const md = await createMarkdownRenderer(ROOT, { config: withRepository });
const env = { path: `${ROOT}docs/start.md` };

const textOf = (html: string): string =>
  html
    .replace(/<button.*?<\/button>|<span class="lang">.*?<\/span>|<[^>]*>/g, '')
    .replace(/\n+/g, '\n')
    .trim();

it.each([
  [
    'npm install keysweep',
    ['npm install keysweep', 'pnpm add keysweep', 'yarn add keysweep', 'bun add keysweep'],
  ],
  [
    'npm install --save-dev a b@1',
    ['npm install --save-dev a b@1', 'pnpm add --save-dev a b@1', 'yarn add --dev a b@1'],
  ],
  ['npm install --global a # b', ['pnpm add --global a # b', 'yarn global add a # b']],
])('`%s` has a tab for each package manager', (code, expected) => {
  const html = md.render(`\`\`\`sh\n${code}\n\`\`\`\n`, env);
  expect(html).toContain(`:labels='["npm","pnpm","yarn","bun"]'`);
  for (const line of expected) expect(textOf(html).split('\n')).toContain(line);
});

it.each(['npm test', 'npm install keysweep\nnode sort.mjs', 'npm install && npm run build'])(
  '`%s` is no block that only installs',
  (code) => {
    expect(md.render(`\`\`\`sh\n${code}\n\`\`\`\n`, env)).not.toContain('<Tabs');
  },
);

it.each([
  ['##', 'h2'],
  ['###', 'h3'],
])('sections between marks are panels, and keep their headings of %s', (mark, tag) => {
  const sections = `${mark} A & B\none\n\n${mark} C\ntwo\n\n`;
  const page = `<!-- tabs: where -->\n${sections}<!-- end of tabs -->\nthree`;
  const html = md.render(page, env);
  expect(html).toContain(`<Tabs name="where" :labels='["A &amp; B","C"]'>`);
  const [, first = '', second = ''] = html.split(/<template #panel\d>/);
  expect(first).toMatch(new RegExp(`<${tag} id="a-b".*one`, 's'));
  expect(second).toMatch(new RegExp(`<${tag} id="c".*two.*</template></Tabs>.*three`, 's'));
});

it('an end without a beginning is refused', () => {
  expect(() => md.render('text\n\n<!-- end of tabs -->\n', env)).toThrow('before');
});
