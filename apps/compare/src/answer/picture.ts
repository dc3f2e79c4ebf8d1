/** The answer as a picture, to be shown where this page is not. */

import { formatDate, formatLength, formatTime } from '../page/format.js';
import type { Results } from '../results/record.js';
import { describeSettings } from '../settings/settings.js';
import type { Answer } from './answer.js';
import { describeMachine } from './machine.js';

/** Pixels, in the shape that previews of links have. */
const [WIDTH, HEIGHT, MARGIN] = [1200, 630, 72];
const [PAPER, INK, SOFT, BLUE, GREY] = ['#ffffff', '#151a21', '#4a5361', '#1b5cc4', '#8b95a3'];

const font = (size: number, weight = 400): string =>
  `${weight} ${size}px -apple-system, "Segoe UI", Roboto, "Noto Sans", system-ui, sans-serif`;

/** A PNG with the sentence, the two times and the machine. */
export function pictureOf(answer: Answer, results: Results): Promise<Blob> {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.fillStyle = PAPER;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = BLUE;
  context.fillRect(0, 0, WIDTH, 10);
  context.textBaseline = 'alphabetic';
  const write = (text: string, x: number, y: number, style: string, colour: string): void => {
    context.font = style;
    context.fillStyle = colour;
    context.fillText(text, x, y, WIDTH - MARGIN - x);
  };
  write('keysweep', MARGIN, 86, font(30, 700), INK);
  context.font = font(54, 700);
  const lines = wrapped(answer.headline, (text) => context.measureText(text).width);
  lines.forEach((line, i) => {
    write(line, MARGIN, 172 + 66 * i, font(54, 700), INK);
  });
  const { length, bars } = answer;
  let y = 215 + 66 * lines.length;
  const what = `${formatLength(length)} keys (${describeSettings(results.settings)})`;
  write(what, MARGIN, y, font(24), SOFT);
  const most = Math.max(...bars.map(({ milliseconds }) => milliseconds));
  const room = WIDTH - 2 * MARGIN - 460;
  bars.forEach(({ name, milliseconds }, i) => {
    y += 52;
    write(name, MARGIN, y, font(26, 500), INK);
    const width = Math.max(4, (room * milliseconds) / most);
    context.fillStyle = i === 0 ? GREY : BLUE;
    context.fillRect(MARGIN + 300, y - 24, width, 30);
    write(formatTime(milliseconds), MARGIN + 316 + width, y, font(26, 600), INK);
  });
  write(
    `${describeMachine(results.facts)}, ${formatDate(results.date)}`,
    MARGIN,
    HEIGHT - 48,
    font(22),
    SOFT,
  );
  return canvas.convertToBlob({ type: 'image/png' });
}

/** Lines of a text that are no wider than the picture, by the width that a text takes. */
function wrapped(text: string, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= WIDTH - 2 * MARGIN) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
