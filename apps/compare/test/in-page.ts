/**
 * What a test finds out about the page within a browser: it is sent there as text, so that it works
 * in engines that no driver knows, too. It refers to nothing outside of itself.
 */

export interface Task {
  /** The settings to measure by, as in a link to the page. */
  readonly hash: string;
  /** Widths of the window, in pixels. */
  readonly widths: readonly number[];
}

export interface Found {
  readonly problems: readonly string[];
  /** What the page says when it has measured. */
  readonly status: string;
  /** Rows of the table of results. */
  readonly rows: number;
}

/** Opens the page in a frame, measures, and looks before and after whether all of it is seen. */
export async function tryPage(
  { hash, widths }: Task,
  layoutFaults: (page: Document) => readonly string[],
): Promise<Found> {
  const problems: string[] = [];
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = 'border: 0; height: 800px; width: 1440px';
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  frame.src = `/index.html${hash}`;
  await new Promise((resolve) => {
    frame.onload = resolve;
  });
  const page = frame.contentDocument as Document;
  const look = async (when: string): Promise<void> => {
    for (const width of widths) {
      frame.style.width = `${width}px`;
      // Charts are drawn anew for another width.
      await new Promise((resolve) => setTimeout(resolve, 300));
      problems.push(...layoutFaults(page).map((fault) => `${when}, ${width} pixels: ${fault}`));
    }
  };
  const run = page.querySelector<HTMLButtonElement>('#run');
  await until(() => run?.disabled === false);
  await look('at first');
  run?.click();
  await until(() => page.body.dataset.run === 'over');
  for (const details of page.querySelectorAll('details')) details.open = true;
  await look('with results');
  const status = page.querySelector('#run-status')?.textContent ?? '';
  return { problems, status, rows: page.querySelectorAll('#table tbody tr').length };
}
