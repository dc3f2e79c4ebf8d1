/** Serves the built site with one more page, which does a task within a browser. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import sirv from 'sirv';
import { ISOLATION } from '../preview.config.js';
import { type Found, inspect, type Task } from './in-page/inspect.js';

interface Trial {
  /** The page to open. */
  readonly url: string;
  /** What that page has found out. */
  readonly found: Promise<Found>;
  close(): Promise<void>;
}

const scriptOf = (task: Task): string => `
const found = await (${inspect})(${JSON.stringify(task)}).catch((error) => ({
  problems: [String(error?.stack ?? error)], pages: 0, blocks: 0, typed: 0,
}));
await fetch('/found', { method: 'POST', body: JSON.stringify(found) });
`;

/** @param folder of the built site */
export async function serveTrial(folder: string, task: Task): Promise<Trial> {
  const head = '<!doctype html><meta charset="utf-8"><title>trial</title>';
  const page = `${head}<script type="module">${scriptOf(task)}</script>`;
  const files = sirv(folder, { dev: true });
  let settle: (found: Found) => void;
  const found = new Promise<Found>((resolve) => {
    settle = resolve;
  });
  const server = createServer(async (request, response) => {
    for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    if (request.url === '/found') {
      settle(JSON.parse(await text(request)));
      response.end();
    } else if (request.url === '/trial') {
      response.setHeader('Content-Type', 'text/html').end(page);
    } else files(request, response, () => void response.writeHead(404).end());
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
