/** The recipes of the documents: blocks of code after a line `<!-- recipe: NAME -->`. */

import { readFile } from 'node:fs/promises';

const PAGES = ['grids.md', 'migration.md'].map(
  (page) => new URL(`../../docs/${page}`, import.meta.url),
);

/** The code of a recipe, as it stands on its page. */
export async function readRecipe(name: string): Promise<string> {
  const texts = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
  const recipes = texts.join('').matchAll(/<!-- recipe: (.*?) -->\n```jsx?\n(.*?)```/gs);
  const [, , code] = Array.from(recipes).find(([, other]) => other === name) ?? [];
  if (code === undefined) throw new Error(`no page has a recipe ${name}`);
  return code;
}

/** The first block of code below a heading of a page of `docs`. */
export async function readBlockBelow(page: string, heading: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const [, code] = /```js\n(.*?)```/s.exec(section.split('\n## ', 1)[0] as string) ?? [];
  if (code === undefined) throw new Error(`${page} has no code below "${heading}"`);
  return code;
}
