/** The keys of each digit as bars. */

import { colourAt } from './dots.js';

const [WIDTH, HEIGHT] = [512, 96];

/** Draws `counts` in the dots' colours. */
export function drawHistogram(box: HTMLElement, counts: readonly number[], isDark: boolean): void {
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const gap = counts.length > 64 ? 0 : Math.min(6, step * 0.15);
  const bars = counts.map((count, digit) => {
    const height = (count / most) * (HEIGHT - 4);
    const colour = colourAt(digit / Math.max(1, counts.length - 1), isDark);
    return (
      `<rect x="${(digit * step + gap / 2).toFixed(2)}" ` +
      `y="${(HEIGHT - height).toFixed(2)}" width="${(step - gap).toFixed(2)}" ` +
      `height="${height.toFixed(2)}" fill="${colour}"><title>digit ${digit}: ` +
      `${count} keys</title></rect>`
    );
  });
  const label = `Histogram of ${counts.length} digits: ${Math.min(...counts)} to ${most} keys each`;
  box.innerHTML =
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${label}">${bars.join('')}</svg>`;
}
