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
  /** How many pages were laid out, blocks run, and blocks whose names were pointed at. */
  readonly pages: number;
  readonly blocks: number;
  readonly typed: number;
}

/** Opens every page in a frame: looks whether all of it can be seen, and runs its blocks. */
export async function inspect(
  { pages, widths }: Task,
  layoutFaults: (page: Document) => readonly string[],
): Promise<Found> {
  const problems: string[] = [];
  let [blocks, typed] = [0, 0];
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = 'border: 0; height: 800px; width: 360px';

  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  /** Points at the first name of a block that has a type, and waits for the type. */
  async function pointAtName(page: Document, code: HTMLElement, from: number): Promise<void> {
    const texts = page.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    let passed = 0;
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const end = passed + (text.nodeValue?.length ?? 0);
      if (passed <= from && from < end) {
        // A block may be longer than the window.
        text.parentElement?.scrollIntoView({ block: 'center' });
        const range = page.createRange();
        range.setStart(text, from - passed);
        range.setEnd(text, from - passed + 1);
        const { left, top, width, height } = range.getBoundingClientRect();
        const [clientX, clientY] = [left + width / 2, top + height / 2];
        const move = new PointerEvent('pointermove', { bubbles: true, clientX, clientY });
        text.parentElement?.dispatchEvent(move);
        await until(() => page.querySelector('.name-type') !== null);
        return;
      }
      passed = end;
    }
  }

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
    const found = await fetch(`/types/${path.replace(/html$/, 'json')}`);
    for (const { code, names } of found.ok ? await found.json() : []) {
      const all = [...page.querySelectorAll<HTMLElement>('.vp-doc pre code')];
      const block = all.find((one) => one.textContent?.trimEnd() === code);
      if (!block || names.length === 0 || block.clientWidth === 0) continue;
      await pointAtName(page, block, names[0].from);
      typed++;
      break;
    }
  }
  return { problems, pages: pages.length, blocks, typed };
}
