/** The ways in which a user's page (the folder `app`) comes to a browser. None needs a plugin. */

import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { build as rolldown } from 'rolldown';
import { createLogger, build as viteBuild, createServer as viteServer } from 'vite';

const APP = fileURLToPath(new URL('app/', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

export interface Site {
  readonly url: string;
  /** What the bundler or server has logged as an error so far. */
  readonly errors: readonly string[];
  /** All that it has logged, warnings too: their wording is its own. */
  readonly messages: readonly string[];
  readonly close: () => Promise<void>;
}

export type Headers = Readonly<Record<string, string>>;

/** How a page comes to gpu.js. */
type GpuJs = 'given' | 'found' | 'missing';

/** What pages need of gpu.js. */
const GPU_JS = ['package.json', 'dist/gpu-browser.js'];

/**
 * Copies the page into the folder `root`, and the packages that it needs: bundlers treat
 * packages that are linked into a workspace differently from installed ones. Of others' only
 * gpu.js is there: 'given', the page says where; 'found', it does not; or 'missing'. A page that
 * asks for piscina finds nothing.
 */
export async function install(root: string, gpuJs: GpuJs): Promise<void> {
  await cp(APP, root, { recursive: true });
  if (gpuJs !== 'given') await writeFile(join(root, 'load.js'), 'export const load = undefined;');
  for (const file of gpuJs === 'missing' ? [] : GPU_JS) {
    const path = join('node_modules', 'gpu.js', file);
    await cp(join(NODE_MODULES, 'gpu.js', file), join(root, path));
  }
  for (const { name, files } of await packages()) {
    for (const file of ['package.json', ...files.filter((name) => !name.startsWith('!'))]) {
      const path = join('node_modules', name, file);
      await cp(join(NODE_MODULES, name, file), join(root, path), { recursive: true });
    }
  }
}

/** Vite's build as it comes, and a server that knows nothing of it. */
export async function builtByVite(root: string, headers: Headers): Promise<Site> {
  const log = new Log();
  await viteBuild({ root, ...log.ofVite() });
  return { ...log, ...(await serve(join(root, 'dist'), headers)) };
}

/** Vite's build of a page in the repository, with our packages as they are linked. */
export async function builtInPlace(root: string, outDir: string): Promise<void> {
  await viteBuild({ root, build: { outDir, emptyOutDir: true }, logLevel: 'error' });
}

/** Vite's dev server as it comes, but for the headers. */
export async function onViteServer(root: string, headers: Headers): Promise<Site> {
  const log = new Log();
  const server = await viteServer({ root, ...log.ofVite(), server: { headers } });
  await server.listen();
  const [url = ''] = server.resolvedUrls?.local ?? [];
  return { ...log, url, close: () => server.close() };
}

/** What a bundler or server logs. */
class Log {
  readonly errors: string[] = [];
  readonly messages: string[] = [];

  add(level: string, message: string): void {
    const text = stripVTControlCharacters(message);
    this.messages.push(text);
    if (level === 'error') this.errors.push(text);
  }

  /** Options of Vite that log here. */
  ofVite() {
    const warn = (message: string): void => this.add('warn', message);
    const error = (message: string): void => this.add('error', message);
    const customLogger = createLogger('warn', { console: { ...console, warn, error } });
    return { customLogger, logLevel: 'warn' as const };
  }
}

/** A bundle of one file, and one for each worker: no chunks that could be found beside them. */
export async function inOneFile(root: string, headers: Headers): Promise<Site> {
  const log = new Log();
  const dist = join(root, 'dist');
  const bundles = ['main.js', 'worker.js', 'sort-worker.js'].map((name) => ({
    input: join(root, name),
    platform: 'browser' as const,
    output: { file: join(dist, name), codeSplitting: false },
    onLog: (level: string, { message }: { message: string }) => log.add(level, message),
  }));
  await rolldown(bundles);
  await cp(join(root, 'index.html'), join(dist, 'index.html'));
  return { ...log, ...(await serve(dist, headers)) };
}

/** No bundler: an import map names the packages, and in each package's scope its own `#names`. */
export async function withImportMap(root: string, headers: Headers): Promise<Site> {
  const imports: Record<string, string> = { 'gpu.js': '/node_modules/gpu.js/dist/gpu-browser.js' };
  const scopes: Record<string, Record<string, string>> = {};
  for (const { name, exports, imports: own = {} } of await packages()) {
    const folder = `/node_modules/${name}/`;
    const scope: Record<string, string> = {};
    for (const [path, file] of Object.entries(exports)) {
      imports[name + path.slice(1)] = folder + imported(file);
    }
    for (const [path, file] of Object.entries(own)) scope[path] = folder + imported(file);
    scopes[folder] = scope;
  }
  const map = `<script type="importmap">${JSON.stringify({ imports, scopes })}</script>`;
  const index = join(root, 'index.html');
  await writeFile(index, (await readFile(index, 'utf8')).replace('</head>', `${map}</head>`));
  return { ...new Log(), ...(await serve(root, headers)) };
}

/** A file, or several by condition. */
type File = string | { readonly import?: File; readonly default: File };

/** From a specifier to its file. */
type Entries = Readonly<Record<string, File>>;

/** The file that a page imports. */
const imported = (file: File): string =>
  typeof file === 'string' ? file : imported(file.import ?? file.default);

interface Manifest {
  readonly name: string;
  readonly files: readonly string[];
  readonly exports: Entries;
  readonly imports?: Entries;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** keysweep and those of our packages that it depends on. */
async function packages(): Promise<Manifest[]> {
  const names = new Set(['keysweep']);
  const manifests: Manifest[] = [];
  // A set's iterator also comes to what is added on the way.
  for (const name of names) {
    const text = await readFile(join(NODE_MODULES, name, 'package.json'), 'utf8');
    const manifest = JSON.parse(text) as Manifest;
    manifests.push(manifest);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (dependency.startsWith('@keysweep/')) names.add(dependency);
    }
  }
  return manifests;
}

/** Files that a server does not have: it answers 404, or a page of HTML as if all were well. */
export interface Missing {
  readonly files: RegExp;
  readonly answer: 404 | 'html';
}

const CONTENT_TYPES: Headers = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the files of a folder as they are, but for those that are missing. */
export async function serve(
  folder: string,
  headers: Headers,
  { files, answer }: Missing = { files: /^$/, answer: 404 },
): Promise<Pick<Site, 'url' | 'close'>> {
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    if (files.test(pathname)) {
      const type = { ...headers, 'Content-Type': 'text/html' };
      response.writeHead(answer === 'html' ? 200 : 404, type).end('<!doctype html>');
      return;
    }
    const file = join(folder, pathname === '/' ? 'index.html' : pathname);
    try {
      const body = await readFile(file);
      response.writeHead(200, { ...headers, 'Content-Type': CONTENT_TYPES[extname(file)] });
      response.end(body);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://localhost:${port}/`, close };
}
