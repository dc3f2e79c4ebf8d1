/** Pictures of pages and of consoles, as WebP. */

import { writeFileSync } from 'node:fs';
import { chromium as engine, type Page } from 'playwright';
import { chromium } from '../chromium.js';

/** Of 0 to 1. The first is taken that makes a file small enough for the repository. */
const QUALITIES = [0.8, 0.6, 0.4, 0.2];
const MAX_BYTES = 60_000;

/** Writes what a page shows. Playwright knows no WebP, so a page of its browser makes it. */
export async function savePicture(page: Page, file: string): Promise<void> {
  const png = (await page.screenshot()).toString('base64');
  const helper = await page.context().newPage();
  const webp = await helper.evaluate(
    async ([data, qualities, maxBytes]) => {
      const image = await createImageBitmap(
        await (await fetch(`data:image/png;base64,${data}`)).blob(),
      );
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      for (const quality of qualities) {
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
        if (blob.size <= maxBytes) return [...new Uint8Array(await blob.arrayBuffer())];
      }
      throw new Error(`the picture has more than ${maxBytes} bytes`);
    },
    [png, QUALITIES, MAX_BYTES] as const,
  );
  await helper.close();
  writeFileSync(file, Uint8Array.from(webp));
}

const CONSOLE_STYLE = `
  body { margin: 0; background: #1b1e24; }
  pre { display: inline-block; margin: 0; padding: 20px 24px; color: #e4e7ec;
    font: 14px/1.5 'DejaVu Sans Mono', monospace; }
  b { color: #8fd3a8; font-weight: normal; }
`;

/** Of commands and what they print. Lines that begin with $ are commands. */
export async function saveConsole(text: string, file: string): Promise<void> {
  const browser = await engine.launch(chromium());
  try {
    const page = await (await browser.newContext()).newPage();
    await page.setContent(`<style>${CONSOLE_STYLE}</style><pre></pre>`);
    await page.locator('pre').evaluate((pre, printed) => {
      for (const line of printed.trimEnd().split('\n')) {
        const part = document.createElement(line.startsWith('$ ') ? 'b' : 'span');
        part.textContent = `${line}\n`;
        pre.append(part);
      }
    }, text);
    const box = await page.locator('pre').boundingBox();
    const [width, height] = [Math.ceil(box?.width ?? 800), Math.ceil(box?.height ?? 600)];
    await page.setViewportSize({ width, height });
    await savePicture(page, file);
  } finally {
    await browser.close();
  }
}
