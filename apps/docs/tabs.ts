/**
 * Tabs of the site. In the repository the panels stand one below the other: sections between `<!--
 * tabs: where -->` and `<!-- end of tabs -->`, each below a heading of the level that the first of
 * them has. The other package managers' ways to install are made of npm's.
 */

import type { MarkdownOptions } from 'vitepress';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Tokens = Parameters<MarkdownIt['renderer']['render']>[0];
type Token = Tokens[number];
type NewToken = new (type: string, tag: string, nesting: 0) => Token;

const BEGIN = /^<!-- tabs: (\w+) -->/;
const END = /^<!-- end of tabs -->/;

const quoted = (labels: readonly string[]): string =>
  JSON.stringify(labels).replaceAll('&', '&amp;').replaceAll("'", '&#39;');

const opened = (name: string, labels: readonly string[]): string =>
  `<Tabs name="${name}" :labels='${quoted(labels)}'>`;

/** Puts the tags of tabs around the sections of a page. */
export function setTabs(tokens: Tokens, Token: NewToken): void {
  const html = (content: string): Token =>
    Object.assign(new Token('html_block', '', 0), { content });
  for (let end = tokens.length - 1; end >= 0; end--) {
    if (!END.test(tokens[end]?.content ?? '')) continue;
    let begin = end;
    while (begin >= 0 && !BEGIN.test(tokens[begin]?.content ?? '')) begin--;
    const [, name] = BEGIN.exec(tokens[begin]?.content ?? '') ?? [];
    if (name === undefined) throw new Error('<!-- end of tabs --> has no <!-- tabs: … --> before');
    const labels: string[] = [];
    const inside = tokens.slice(begin + 1, end);
    const level = inside.find(({ type }) => type === 'heading_open')?.tag;
    const panels = inside.flatMap((token, at) => {
      if (token.type !== 'heading_open' || token.tag !== level) return token;
      labels.push(tokens[begin + at + 2]?.content ?? '');
      const last = labels.length - 1;
      return [html(`${last > 0 ? '</template>' : ''}<template #panel${last}>\n`), token];
    });
    const around = [html(opened(name, labels)), ...panels, html('</template></Tabs>\n')];
    tokens.splice(begin, end - begin + 1, ...around);
  }
}

const INSTALL = /^npm install (--save-dev |--global )?/;

/** By package manager: what stands for `npm install`, with an option. */
const MANAGERS: Readonly<Record<string, (option: string) => string>> = {
  npm: (option) => `npm install ${option}`,
  pnpm: (option) => `pnpm add ${option}`,
  yarn: (option) =>
    option === '--global ' ? 'yarn global add ' : `yarn add ${option.replace('save-', '')}`,
  bun: (option) => `bun add ${option.replace('save-', '')}`,
};

/** A block that only installs, for each package manager; undefined for another block. */
export function managersOf(code: string, render: (code: string) => string): string | undefined {
  const lines = code.trimEnd().split('\n');
  if (!lines.every((line) => INSTALL.test(line) && !line.includes('&&'))) return undefined;
  const panels = Object.values(MANAGERS).map((addOf, at) => {
    const own = lines.map((line) => line.replace(INSTALL, (_, option = '') => addOf(option)));
    return `<template #panel${at}>\n${render(`${own.join('\n')}\n`)}\n</template>`;
  });
  return `${opened('packages', Object.keys(MANAGERS))}${panels.join('')}</Tabs>\n`;
}
