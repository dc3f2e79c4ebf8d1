/** Pictures of the comparison page. */

import type { Browser } from './browser.js';

export interface Picture {
  readonly name: string;
  /** Pixels of the page. */
  readonly width: number;
  /** Pixels of the picture for each pixel of the page. */
  readonly scale: number;
  readonly scheme: 'light' | 'dark';
  /** What is on it, from the first element to the last. */
  readonly from: string;
  readonly to: string;
}

export const PICTURES: readonly Picture[] = [
  {
    name: 'charts',
    width: 1100,
    scale: 1.25,
    scheme: 'light',
    from: '#results-title',
    to: '.charts',
  },
  { name: 'page-light', width: 1280, scale: 1, scheme: 'light', from: 'body', to: 'body' },
  { name: 'page-dark', width: 1280, scale: 1, scheme: 'dark', from: 'body', to: 'body' },
  { name: 'page-phone', width: 390, scale: 2, scheme: 'light', from: 'body', to: 'body' },
];

/** A PNG. */
export async function takePicture(browser: Browser, picture: Picture): Promise<Buffer> {
  const { width, scale, scheme, from, to } = picture;
  const height = 900;
  await browser.call('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, mobile: false },
    deviceScaleFactor: scale,
  });
  // Scrollbars would take part of the width, though the whole page is on the picture.
  await browser.call('Emulation.setScrollbarsHidden', { hidden: true });
  const features = [{ name: 'prefers-color-scheme', value: scheme }];
  await browser.call('Emulation.setEmulatedMedia', { features });
  // Charts are drawn anew for another width, each in a task of its own.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const clip = await browser.evaluate(`(() => {
    const boxOf = (name) => document.querySelector(name).getBoundingClientRect();
    const [first, last] = ['${from}', '${to}'].map(boxOf);
    const margin = first.left > 16 ? 16 : 0;
    return {
      x: first.left - margin,
      y: first.top + scrollY - margin,
      width: last.width + 2 * margin,
      height: last.bottom - first.top + 2 * margin,
      scale: 1,
    };
  })()`);
  const shot = await browser.call('Page.captureScreenshot', { clip, captureBeyondViewport: true });
  return Buffer.from(String(shot.data), 'base64');
}
