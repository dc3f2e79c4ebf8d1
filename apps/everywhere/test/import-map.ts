/** A page without a bundler: an import map names the packages' files, which another origin has. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serve } from './pages.js';
import { PACKAGES, type Project } from './project.js';
import { inPages, type Trial } from './trial.js';

/** What an entry of `exports` or `imports` names for each condition. */
type Target = string | { readonly [condition: string]: Target };

/** The file of an entry for a page. */
function fileOf(target: Target): string {
  if (typeof target === 'string') return target;
  const condition = Object.keys(target).find((one) =>
    ['browser', 'import', 'default'].includes(one),
  );
  return fileOf(target[condition!]!);
}

interface Manifest {
  readonly exports: Readonly<Record<string, Target>>;
  readonly imports?: Readonly<Record<string, Target>>;
}

/** The map of the packages, which `origin` serves. In each of them its own `#names` hold. */
async function importMap({ folder }: Project, origin: string): Promise<string> {
  const imports: Record<string, string> = {};
  const scopes: Record<string, Record<string, string>> = {};
  for (const name of PACKAGES) {
    const base = `${origin}/${name}/`;
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    const { exports, imports: own = {} } = JSON.parse(text) as Manifest;
    const urlOf = (target: Target): string => new URL(fileOf(target), base).href;
    for (const [path, target] of Object.entries(exports)) {
      imports[name + path.slice(1)] = urlOf(target);
    }
    scopes[base] = Object.fromEntries(
      Object.entries(own).map(([path, target]) => [path, urlOf(target)]),
    );
  }
  return JSON.stringify({ imports, scopes });
}

export async function onAnotherOrigin(project: Project): Promise<Trial[]> {
  const packages = await serve(join(project.folder, 'node_modules'), {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  const page = join(project.folder, 'page');
  try {
    const map = `<script type="importmap">${await importMap(project, packages.url)}</script>`;
    const html = await readFile(join(page, 'index.html'), 'utf8');
    await writeFile(join(page, 'import-map.html'), html.replace('<script', `${map}<script`));
    return await inPages(async (headers) => {
      const { url, close } = await serve(page, headers);
      return { url: `${url}/import-map.html`, close };
    });
  } finally {
    await packages.close();
  }
}
