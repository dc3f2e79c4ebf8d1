/**
 * Pages that are opened one after the other in one browser. Each has a host of its own, for which
 * browsers start a new process. A page posts its result, and the answer is the address of the next.
 */

import type { Program } from './program.js';
import { type FolderOptions, serveFolder } from './serve-folder.js';

/** Milliseconds after which a page that sends nothing is given up. */
const MOST = 60_000;

export interface FreshPages {
  /** Opens a page that finds `told` in its address, and resolves to what it sends back. */
  visit<Result>(told: unknown): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens the first page of a built folder, which is told nothing, in the browser that `start`
 * starts.
 */
export async function openFreshPages(
  folder: string,
  start: (url: string) => Promise<Pick<Program, 'ended' | 'close'>>,
  options: Pick<FolderOptions, 'isIsolated'>,
): Promise<FreshPages> {
  let take = (_: string): void => {};
  let goTo = (_: string): void => {};
  const answer = (sent: string): Promise<string> =>
    new Promise((resolve) => {
      goTo = resolve;
      take(sent);
    });
  const site = await serveFolder(folder, { ...options, answer });
  const browser = await start(site.url).catch((error) => {
    site.close();
    throw error;
  });
  const { port } = new URL(site.url);
  let pages = 0;
  /** What kept a page from sending its result: it is not there to go on to the next. */
  let failure: { readonly error: unknown } | undefined;
  await site.result;
  return {
    async visit(told) {
      if (failure !== undefined) throw failure.error;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`nothing came back in ${MOST} ms`)), MOST);
      });
      const sent = new Promise<string>((resolve) => {
        take = resolve;
      });
      goTo(`http://page-${++pages}.localhost:${port}/#${encodeURIComponent(JSON.stringify(told))}`);
      try {
        return JSON.parse(await Promise.race([sent, browser.ended, late]));
      } catch (error) {
        failure = { error };
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await browser.close();
      site.close();
    },
  };
}
