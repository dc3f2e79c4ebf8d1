/**
 * What a test finds out within a browser: it is sent there as text, so that it works in engines
 * that no driver knows, too. It refers to nothing outside of itself.
 */

export interface Task {
  /** Paths of the site. */
  readonly pages: readonly string[];
  /** Widths of the window, in pixels. */
  readonly widths: readonly number[];
}

export interface Found {
  readonly problems: readonly string[];
  /** How many pages were laid out, and blocks run. */
  readonly pages: number;
  readonly blocks: number;
}

/** Opens every page in a frame: looks whether all of it can be seen, and runs its blocks. */
export async function inspect(
  { pages, widths }: Task,
  layoutFaults: (page: Document) => readonly string[],
): Promise<Found> {
  const problems: string[] = [];
  let blocks = 0;
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = 'border: 0; height: 800px; width: 360px';

  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  for (const path of pages) {
    frame.src = `/${path}`;
    await new Promise((resolve) => {
      frame.onload = resolve;
    });
    const page = frame.contentDocument as Document;
    await until(() => '__vue_app__' in (page.querySelector('#app') ?? {}));
    for (const width of widths) {
      frame.style.width = `${width}px`;
      problems.push(...layoutFaults(page).map((fault) => `${path}, ${width} pixels: ${fault}`));
    }
    for (const block of page.querySelectorAll('.runnable')) {
      const status = block.querySelector('[role=status]');
      const text = () => status?.textContent ?? '';
      block.querySelector<HTMLElement>('.run button')?.click();
      await until(() => !/^(Running …)?$/.test(text()));
      if (!/^Ran in|medians of five\. (Both|keysweep)/.test(text())) {
        problems.push(`${path}: ${text()}\n${block.querySelector('code')?.textContent}`);
      }
      blocks++;
    }
  }
  return { problems, pages: pages.length, blocks };
}
