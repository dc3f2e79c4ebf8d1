/** Pictures of pages, as WebP. */

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright';

/** Of 0 to 1: good enough for text, and a tenth of a PNG. */
const QUALITY = 0.8;

/** Writes what a page shows. Playwright knows no WebP, so a page of its browser makes it. */
export async function savePicture(page: Page, file: string): Promise<void> {
  const png = (await page.screenshot()).toString('base64');
  const helper = await page.context().newPage();
  const webp = await helper.evaluate(
    async ([data, quality]) => {
      const image = await createImageBitmap(
        await (await fetch(`data:image/png;base64,${data}`)).blob(),
      );
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    [png, QUALITY] as const,
  );
  await helper.close();
  writeFileSync(file, Uint8Array.from(webp));
}
