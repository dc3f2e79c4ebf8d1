/** How the repository's Markdown becomes pages. */

import { relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { hasBlocks, runnable, runsInPage } from './blocks/in-page.js';
import { CHART } from './home.js';
import { COMPARE, linkedFrom, linkFrom, pageOf, ROOT, titleOf } from './pages.js';
import { managersOf, setTabs } from './tabs.js';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Tokens = Parameters<MarkdownIt['renderer']['render']>[0];
type Token = Tokens[number];

/** A table of this many columns is about its first one, which stays when it is scrolled. */
const WIDE = 5;

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
    setTabs(tokens, Token);
  });
  // A table or a chart that is wider than the page is scrolled, by keys too.
  md.renderer.rules.table_open = (tokens, i) => {
    const end = tokens.findIndex(({ type }, at) => at > i && type === 'thead_close');
    const columns = tokens.slice(i, end).filter(({ type }) => type === 'th_open').length;
    const wide = columns >= WIDE ? ' wide' : '';
    return `<div class="table${wide}" tabindex="0"><table>\n`;
  };
  md.renderer.rules.table_close = () => '</table></div>\n';
  const { code_block: plain, fence, image } = md.renderer.rules;
  md.renderer.rules.code_block = (...all) =>
    (plain?.(...all) ?? '').replace('<pre', '<pre tabindex="0"');
  md.renderer.rules.image = (tokens, i, ...rest) => {
    const html = image?.(tokens, i, ...rest) ?? '';
    const isChart = /\.svg$/.test(tokens[i]?.attrGet('src') ?? '');
    return isChart ? `<span class="chart" tabindex="0">${html}</span>` : html;
  };
  md.renderer.rules.fence = (tokens, i, ...rest) => {
    const { info, content } = tokens[i] as Token;
    const render = (code: string): string => {
      const own = Object.assign(Object.create(tokens[i] as Token), { content: code });
      return fence?.(tokens.with(i, own), i, ...rest) ?? '';
    };
    const managers = info.trim() === 'sh' ? managersOf(content, render) : undefined;
    if (managers !== undefined) return managers;
    const html = render(content);
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
    const address = linkFrom(file, href);
    token.attrSet('href', address);
    if (address === COMPARE) token.attrSet('target', '_self');
    // A link that is called by the name of a page's file gets the page's title.
    const label = tokens[i + 1];
    const linked = linkedFrom(file, href);
    if (label && /^[\w/-]+\.md$/.test(label.content) && pageOf(linked)) {
      label.content = titleOf(linked);
    }
  }
}
