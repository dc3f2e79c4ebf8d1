/** Pictures of pages, as WebP. */

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright';

/** Of 0 to 1. The first is taken that makes a file small enough for the repository. */
const QUALITIES = [0.8, 0.6, 0.4, 0.2];
const MOST_BYTES = 60_000;

/** Writes what a page shows. Playwright knows no WebP, so a page of its browser makes it. */
export async function savePicture(page: Page, file: string): Promise<void> {
  const png = (await page.screenshot()).toString('base64');
  const helper = await page.context().newPage();
  const webp = await helper.evaluate(
    async ([data, qualities, mostBytes]) => {
      const image = await createImageBitmap(
        await (await fetch(`data:image/png;base64,${data}`)).blob(),
      );
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      for (const quality of qualities) {
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
        if (blob.size <= mostBytes) return [...new Uint8Array(await blob.arrayBuffer())];
      }
      throw new Error(`the picture has more than ${mostBytes} bytes`);
    },
    [png, QUALITIES, MOST_BYTES] as const,
  );
  await helper.close();
  writeFileSync(file, Uint8Array.from(webp));
}
