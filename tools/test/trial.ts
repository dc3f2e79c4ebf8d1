/** Serves a built site with one more page, which does a task within a browser. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { layoutFaults } from './layout-faults.js';

/** What a page needs to share memory with its workers. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Types without which browsers refuse a file. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

interface Trial<Found> {
  /** The page to open. */
  readonly url: string;
  /** What that page has found out. Rejects where its task fails. */
  readonly found: Promise<Found>;
  close(): Promise<void>;
}

/**
 * What a trial does in its page, sent there as text, so that it works in engines that no driver
 * knows, too. It refers to nothing outside of itself.
 */
type Work<Task, Found> = (task: Task, faults: typeof layoutFaults) => Promise<Found>;

/** Runs first in every page of the site: what goes wrong there is kept for the trial around it. */
const HEAR = `<script>
  const heard = (parent.heard ??= []);
  const say = (what) => heard.push(location.pathname + ': ' + what);
  addEventListener('error', ({ message, target }) => {
    // Firefox gives up what it only prefetches when a page is left, and calls that an error.
    if (target.rel !== 'prefetch') say(message ?? target.outerHTML);
  }, true);
  addEventListener('unhandledrejection', ({ reason }) => say(reason?.stack ?? reason));
  const { error } = console;
  console.error = (...args) => { say(args.join(' ')); error.apply(console, args); };
</script>`;

const pageOf = (script: string): string =>
  '<!doctype html><meta charset="utf-8"><title>trial</title>' +
  `<script type="module">${script}</script>`;

/** Serves the site in `folder`; `work` adds to its problems what it hears from pages. */
export async function serveTrial<Task, Found extends { readonly problems: readonly string[] }>(
  folder: string,
  work: Work<Task, Found>,
  task: Task,
): Promise<Trial<Found>> {
  const page = pageOf(`
    const sent = await (${work})(${JSON.stringify(task)}, ${layoutFaults}).then(
      (found) => ({ ...found, problems: [...found.problems, ...(globalThis.heard ?? [])] }),
      (error) => ({ error: String(error?.stack ?? error) }),
    );
    await fetch('/found', { method: 'POST', body: JSON.stringify(sent) });
  `);
  let settle: (sent: string) => void;
  const found = new Promise<string>((resolve) => {
    settle = resolve;
  }).then((sent) => {
    const parsed = JSON.parse(sent) as Found | { readonly error: string };
    if ('error' in parsed) throw new Error(parsed.error);
    return parsed;
  });
  const server = createServer(async (request, response) => {
    for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    const send = (type: string, body: string | Buffer) => {
      response.setHeader('Content-Type', type).end(body);
    };
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/found') {
      settle(await text(request));
      response.end();
    } else if (pathname === '/trial') send('text/html', page);
    else {
      const file = join(folder, decodeURI(pathname.replace(/\/$/, '/index.html')));
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      const body = await readFile(file).catch(() => undefined);
      if (body === undefined) response.writeHead(404).end();
      else if (type !== 'text/html') send(type, body);
      else send(type, `${body}`.replace('<head>', `<head>${HEAR}`));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/trial`,
    found,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
