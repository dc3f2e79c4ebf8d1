/** The site of the program: pages with the headers that are asked for, and what they send back. */

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import type { Headers } from '../pages.js';
import type { Found, Task } from './found.js';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** For whom the packages are bundled, and as which kind of script. */
export interface Build {
  readonly platform: 'browser' | 'node';
  readonly format: 'esm' | 'iife';
}

export const FOR_PAGES: Build = { platform: 'browser', format: 'esm' };

/** A folder that has the packages as their users install them; without one, the workspace's. */
type Installed = string | undefined;

/** Lets what the program imports of ours come from that folder. */
const packagesOf = (folder: Installed): Plugin => ({
  name: 'packages',
  resolveId(source, importer) {
    const isOurs = /^(keysweep|@keysweep)(\/|$)/.test(source);
    if (folder === undefined || !isOurs || importer?.startsWith(folder)) return null;
    return this.resolve(source, join(folder, 'program.js'), { skipSelf: true });
  },
});

/** The program and the packages as one script. Where nobody can hand it a task, it has one. */
export async function bundle(
  entry: 'in-page.ts' | 'in-process.ts' | 'in-request.ts',
  task: Pick<Task, 'seed'> & Partial<Task>,
  { platform, format }: Build = FOR_PAGES,
  installed?: Installed,
): Promise<string> {
  const env = { KEYSWEEP_SEED: `${task.seed}` };
  const build = await rolldown({
    input: fileOf(entry),
    platform,
    plugins: [packagesOf(installed)],
    // Else it leaves out what modules of packages without side effects begin when they are loaded.
    treeshake: false,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: {
      define: { 'import.meta.env': JSON.stringify(env), TASK: JSON.stringify(task) },
    },
    onLog(level, log, handler) {
      // What gpu.js does to run its own kernels, and a plain script without an address of its own.
      if (log.code !== 'EVAL' && log.code !== 'EMPTY_IMPORT_META') handler(level, log);
    },
  });
  const banner = await readFile(fileOf('watch-imports.js'), 'utf8');
  const { output } = await build.generate({ format, codeSplitting: false, banner });
  await build.close();
  return output[0].code;
}

export type Place = 'page' | 'worker' | 'shared worker' | 'service worker' | 'sandboxed frame';

export interface ProgramSite {
  /** The address of a page that does a task at a place, and what comes of it. */
  open(place: Place, headers: Headers, task: Omit<Task, 'run'>): Opened;
  close(): Promise<void>;
}

interface Opened {
  readonly url: string;
  readonly found: Promise<Found>;
}

/** Frames without an origin ask for everything as from another site. */
const FOR_ALL: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-store',
};
const HTML =
  '<!doctype html><meta charset="utf-8"><title>keysweep</title><link rel="icon" href="data:,">' +
  '<script src="/place.js" defer></script>';

/** Serves a bundle of in-page.ts on a free port. */
export async function serveProgram(program: string): Promise<ProgramSite> {
  const place = await readFile(fileOf('place.js'), 'utf8');
  const runs: { readonly headers: Headers; readonly settle: (result: string) => void }[] = [];

  async function answer(request: IncomingMessage): Promise<{ type: string; body: string }> {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname.startsWith('/result/')) {
      runs[Number(pathname.slice('/result/'.length))]?.settle(await text(request));
      return { type: 'text/plain', body: '' };
    }
    if (pathname === '/program.js') return { type: 'text/javascript', body: program };
    if (pathname === '/place.js') return { type: 'text/javascript', body: place };
    return { type: 'text/html', body: HTML };
  }

  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { run } = JSON.parse(searchParams.get('task') ?? '{}') as Partial<Task>;
    const { type, body } = await answer(request);
    response.writeHead(200, { ...FOR_ALL, ...runs[Number(run)]?.headers, 'Content-Type': type });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    open(place, headers, task) {
      const found = new Promise<Found>((resolve, reject) => {
        const settle = (result: string): void => {
          const parsed = JSON.parse(result) as Found | { readonly error: string };
          if ('error' in parsed) reject(new Error(parsed.error));
          else resolve(parsed);
        };
        runs.push({ headers, settle });
      });
      const run = `${runs.length - 1}`;
      const query = new URLSearchParams({ place, task: JSON.stringify({ ...task, run }) });
      return { url: `http://localhost:${port}/?${query}`, found };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
