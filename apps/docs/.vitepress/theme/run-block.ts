/** Runs a block of code of the page in a worker, and shows what comes of it below the block. */

import bundle from 'keysweep/bundle?url';
import type { Comparison, FromBlock, ToBlock } from './block-messages.js';

/** Each block that is running, with what ends it. */
const stops = new WeakMap<Element, () => void>();

/** Runs the block of `button`; another click while it runs ends it. */
export function runBlock(button: Element): void {
  const block = button.closest('.runnable') as HTMLElement;
  const stop = stops.get(block);
  if (stop) {
    stop();
    return;
  }
  const status = block.querySelector('[role=status]') as HTMLElement;
  block.querySelector('.outcome')?.remove();
  const outcome = block.appendChild(element('div', 'outcome'));
  const worker = new Worker(new URL('./block-worker.ts', import.meta.url), { type: 'module' });
  const end = (text: string): void => {
    worker.terminate();
    stops.delete(block);
    button.textContent = 'Run';
    status.textContent = text;
  };
  stops.set(block, () => end('Stopped.'));
  button.textContent = 'Stop';
  status.textContent = 'Running …';
  worker.onerror = ({ message }) => end(message || 'The code that runs blocks did not load.');
  worker.onmessage = ({ data }: MessageEvent<FromBlock>) => {
    if (data.kind === 'line') outcome.append(element('pre', 'line', data.text));
    else if (data.kind === 'failed') end(data.text);
    else {
      if (data.comparison) outcome.append(...bars(data.comparison));
      end(data.comparison ? verdict(data.comparison) : `Ran in ${timeOf(data.milliseconds)}.`);
    }
  };
  const code = block.querySelector('code')?.textContent ?? '';
  worker.postMessage({ bundle: new URL(bundle, location.href).href, code } satisfies ToBlock);
}

function verdict({ length, builtin, keysweep, backend, isEqual }: Comparison): string {
  const keys = `${length.toLocaleString('en')} keys, warm, medians of five`;
  if (!isEqual) return `${keys}. The results differ: please report it.`;
  if (backend === 'builtin') return `${keys}. keysweep chose the built-in sort here.`;
  const times = Number((builtin / keysweep).toPrecision(2));
  return `${times} times as fast: ${keys}. Both results are the same, bit for bit.`;
}

/** Both times, with bars of their share of the longer one. */
function bars({ builtin, keysweep, backend, threads }: Comparison): HTMLElement[] {
  const by = threads > 1 ? `${backend}, ${threads} threads` : backend;
  const longest = Math.max(builtin, keysweep);
  const rows: [string, string, number][] = [
    ['built-in', 'built-in sort', builtin],
    ['keysweep', `keysweep (${by})`, keysweep],
  ];
  return rows.map(([name, text, time]) => {
    const row = element('div', `time ${name}`);
    const bar = element('span', 'bar');
    bar.style.setProperty('--share', `${time / longest}`);
    row.append(element('span', 'name', text), bar, element('strong', 'ms', timeOf(time)));
    return row;
  });
}

const timeOf = (milliseconds: number): string =>
  `${milliseconds < 100 ? milliseconds.toPrecision(3) : Math.round(milliseconds)} ms`;

function element(tag: string, className: string, text = ''): HTMLElement {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}
