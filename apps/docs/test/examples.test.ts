/** The cards of the examples: what each says, and that a build without a browser goes on. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readExamples, takePictures } from '../live.js';
import { ROOT } from '../pages.js';

vi.mock('playwright', () => ({
  chromium: { launch: () => Promise.reject(new Error('there is no browser')) },
}));

it('an example has a sentence, a page, and if it is a page an address where it runs', async () => {
  const examples = await readExamples(false);
  expect(examples.length).toBeGreaterThan(5);
  for (const { name, title, about, page, live } of examples) {
    expect(title, name).not.toBe('');
    expect(about, name).toMatch(/^[A-Z][^`|]{20,}\.$/);
    expect(page).toBe(`/examples/${name}.html`);
    const isPage = existsSync(join(ROOT, 'examples', name, 'index.html'));
    expect(live, name).toBe(isPage ? `/live/${name}/` : undefined);
  }
});

it('if no browser starts, the build says so and goes on without pictures', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await takePictures(['plot']);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('there is no browser'));
  warn.mockRestore();
});
