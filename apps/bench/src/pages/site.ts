/** The pages that `npm run bundle` has built, opened in a browser. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.js';
import { serveFolder } from './serve-folder.js';

/** Hardware WebGPU and WebGL2 without a display. */
const HARDWARE_FLAGS: string =
  '--headless=new --no-sandbox --enable-unsafe-webgpu --ignore-gpu-blocklist ' +
  '--use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface';

/** Options that all subcommands with a page take, for `parseArgs`. */
export const BROWSER_FLAGS = {
  chromium: { type: 'string', default: 'chromium' },
  flags: {
    type: 'string',
    default: HARDWARE_FLAGS as string,
  },
} as const;

export const BROWSER_HELP = `  --chromium FILE             the browser (chromium)
  --flags="..."               its flags (those for WebGPU and WebGL2 on Vulkan, without a display)`;

/** Beside the bundle that this file is part of, or where the bundle is made. */
export function folderOf(name: string): string {
  const places = [`./${name}/`, `../keysweep-bench/${name}/`];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`no built page: npm run bundle makes ${folders[1]}`);
  return found;
}

/** What is opened, and when it is ready. */
interface Start {
  readonly path: string;
  /** An expression in the page. */
  readonly isReady: string;
}

/** Serves the built folder `name`, opens a page of it in a browser, and calls `work` there. */
export async function withSite<Result>(
  name: 'page' | 'compare',
  { chromium, flags }: { readonly chromium: string; readonly flags: string },
  work: (browser: Browser) => Promise<Result>,
  start: Start = { path: '', isReady: "document.title === 'ready'" },
): Promise<Result> {
  const site = await serveFolder(folderOf(name));
  const browser = await Browser.start(chromium, flags.split(' '));
  try {
    await browser.open(`${site.url}${start.path}`, start.isReady);
    return await work(browser);
  } finally {
    await browser.close();
    site.close();
  }
}

/**
 * Prints the address of the built folder `page` with a task in it, for a browser that somebody else
 * opens. Resolves to what the page sends back.
 */
export async function fromAnyBrowser<Result>(task: string, options: unknown): Promise<Result> {
  const site = await serveFolder(folderOf('page'));
  try {
    const hash = new URLSearchParams({ [task]: JSON.stringify(options) });
    console.log(`Open this in a browser: ${site.url}#${hash}`);
    const result = JSON.parse(await site.result) as Result | { readonly error: string };
    if (typeof result === 'object' && result !== null && 'error' in result) {
      throw new Error(`the page failed: ${result.error}`);
    }
    return result as Result;
  } finally {
    site.close();
  }
}
