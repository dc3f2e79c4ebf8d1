/** How the repository's Markdown becomes pages. */

import { relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { hasBlocks, runnable, runsInPage } from './blocks/in-page.js';
import { CHART } from './home.js';
import { linkedFrom, linkFrom, pageOf, ROOT, titleOf } from './pages.js';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Tokens = Parameters<MarkdownIt['renderer']['render']>[0];
type Token = Tokens[number];

interface Env {
  readonly path: string;
  readonly realPath?: string;
}

const fileOf = ({ path, realPath = path }: Env): string => relative(ROOT, realPath);

export function withRepository(md: MarkdownIt): void {
  md.core.ruler.push('the-repository', ({ tokens, env, Token }) => {
    const file = fileOf(env);
    if (file === 'README.md') beginWithExample(tokens, new Token('html_block', '', 0));
    for (const { children } of tokens) if (children) setLinks(file, children);
  });
  // A table that is wider than the page is scrolled, by keys too.
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  md.renderer.rules.table_close = () => '</table></div>\n';
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, i, ...rest) => {
    const html = fence?.(tokens, i, ...rest) ?? '';
    const { info, content } = tokens[i] as Token;
    const isRun = !tokens[i - 1]?.content.startsWith('<!-- not run:');
    const inPage = info.trim() === 'js' && isRun && hasBlocks(fileOf(rest[1]));
    return inPage && runsInPage(content) ? runnable(html) : html;
  };
}

/** The first page has its title above, and begins with its first example and a chart. */
function beginWithExample(tokens: Tokens, chart: Token): void {
  tokens.splice(0, 3);
  const heading = tokens.findIndex(({ content }) => content === 'First example') - 1;
  const example = tokens.splice(heading, 4);
  chart.content = CHART;
  tokens.unshift(...example, chart);
}

function setLinks(file: string, tokens: Tokens): void {
  for (const [i, token] of tokens.entries()) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    if (href === null) continue;
    token.attrSet('href', linkFrom(file, href));
    // A link that is called by the name of a page's file gets the page's title.
    const label = tokens[i + 1];
    const linked = linkedFrom(file, href);
    if (label && /^[\w/-]+\.md$/.test(label.content) && pageOf(linked)) {
      label.content = titleOf(linked);
    }
  }
}
