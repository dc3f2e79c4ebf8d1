/** A soak in a page of Chromium or Firefox, whose memory this process measures. */

import { readFileSync } from 'node:fs';
import type { Memory } from '../soak/counts.js';
import { SoakFault } from '../soak/era.js';
import { childrenOf } from '../soak/in-node.js';
import type { PageSoak, PageWord } from '../soak/in-page.js';
import { Watch } from '../soak/watch.js';
import { Browser } from './browser.js';
import { startFirefox } from './firefox.js';
import { serveFolder } from './serve-folder.js';
import { folderOf } from './site.js';

export interface BrowserSoak extends PageSoak {
  readonly browser: 'chromium' | 'firefox';
  readonly minutes: number;
  /** The program of Chromium, and its flags. */
  readonly chromium: string;
  readonly flags: string;
}

/** A browser with the page open. */
interface Opened {
  readonly pid: number;
  /** What the page itself holds, where the browser says. */
  readonly measurePage: () => Promise<Memory>;
  readonly close: () => Promise<void>;
}

/** Milliseconds after which a page that tells of no era is taken to hang. */
const LONGEST = 300_000;

/**
 * Serves the page that `npm run bundle` makes, and has it run eras. Resolves to whether nothing was
 * wrong.
 */
export async function soakInBrowser(options: BrowserSoak): Promise<boolean> {
  const { browser, seed, minutes } = options;
  const end = performance.now() + minutes * 60_000;
  let opened: Opened | undefined;
  const measure = async (): Promise<Memory> => {
    const page = await opened?.measurePage();
    return { ...page, all: opened && bytesOf(opened.pid) };
  };
  const watch = new Watch(seed, measure, () => {});
  let isTold = false;
  let settle: (fault: SoakFault | undefined) => void = () => {};
  const over = new Promise<SoakFault | undefined>((resolve) => {
    settle = resolve;
  });
  let timer: NodeJS.Timeout | undefined;
  const expectWord = (): void => {
    clearTimeout(timer);
    const late = new SoakFault(0, `the page told of no era in ${LONGEST / 1000} s`);
    timer = setTimeout(() => settle(late), LONGEST);
  };
  /** Hears of an era; answers whether there is to be another one. */
  const hear = async (text: string): Promise<string> => {
    expectWord();
    const word = JSON.parse(text) as PageWord;
    try {
      if ('fault' in word) throw new SoakFault(word.fault.call, word.fault.message);
      if (!isTold) console.log(`Seed ${seed}, ${browser}, ${word.backends}, ${minutes} minutes`);
      isTold = true;
      await watch.afterEra(word.end);
      if (performance.now() < end && options.eras !== 1) return 'on';
      settle(undefined);
    } catch (error) {
      settle(error as SoakFault);
    }
    return 'over';
  };
  const site = await serveFolder(folderOf('page'), { answer: hear });
  try {
    const { seed, backends, maxOnGpu, first, eras } = options;
    const task = JSON.stringify({ seed, backends, maxOnGpu, first, eras });
    const url = `${site.url}#${new URLSearchParams({ soak: task })}`;
    expectWord();
    opened = browser === 'firefox' ? await openFirefox(url) : await openChromium(url, options);
    const fault = await over;
    await watch.tell();
    if (fault === undefined) {
      console.log('nothing wrong');
      return true;
    }
    if (!(fault instanceof SoakFault)) throw fault;
    console.log(`failed: --page ${browser} --seed ${seed} --call ${fault.call}: ${fault.message}`);
    return false;
  } finally {
    clearTimeout(timer);
    await opened?.close();
    site.close();
  }
}

async function openChromium(
  url: string,
  { chromium, flags }: Pick<BrowserSoak, 'chromium' | 'flags'>,
): Promise<Opened> {
  const browser = await Browser.start(chromium, flags.split(' '));
  try {
    await browser.open(url, "document.title === 'ready'");
  } catch (error) {
    await browser.close();
    throw error;
  }
  return {
    pid: browser.pid,
    async measurePage() {
      await browser.call('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await browser.call('Runtime.getHeapUsage');
      return { objects: usedSize as number, arrays: backingStorageSize as number };
    },
    close: () => browser.close(),
  };
}

async function openFirefox(url: string): Promise<Opened> {
  const { pid, close } = await startFirefox(url);
  // It says nothing of a page's memory to others.
  return { pid, measurePage: async () => ({}), close };
}

/** Bytes of a process and of all that it has started, shared ones once; undefined but on Linux. */
function bytesOf(pid: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const own = 1024 * Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
    return childrenOf(pid).reduce((sum, child) => sum + (bytesOf(child) ?? 0), own);
  } catch {
    return undefined;
  }
}
