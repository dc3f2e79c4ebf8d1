/** A folder as a site: workers and modules need one. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

export interface FolderSite {
  readonly url: string;
  /** What a page of the site sends to `result`. */
  readonly result: Promise<string>;
  close(): void;
}

/** What makes a page isolated from other origins. */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export interface FolderOptions {
  /** Whether pages are isolated from other origins; by default they are. */
  readonly isIsolated?: boolean;
  /** The answer to what a page posts; by default empty. */
  readonly answer?: (text: string) => Promise<string>;
}

/** Serves the files of `folder` on a free port of this machine. */
export async function serveFolder(
  folder: string,
  { isIsolated = true, answer = async () => '' }: FolderOptions = {},
): Promise<FolderSite> {
  let setResult = (_: string): void => {};
  const result = new Promise<string>((resolve) => {
    setResult = resolve;
  });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') {
      const posted = await text(request);
      setResult(posted);
      response.end(await answer(posted));
      return;
    }
    const file = join(folder, pathname === '/' ? 'index.html' : pathname);
    try {
      const body = await readFile(file);
      response.writeHead(200, {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
        ...(isIsolated && ISOLATED),
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${port}/`, result, close };
}
