/** What a reader can do on the built site besides reading: tabs, blocks of code, the versions. */

import type { Browser, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readVersions, versionNow } from '../versions.js';
import { ORIGIN, open, openWindow } from './windows.js';

/** @param browser that is running once the tests run */
export function describeControls(browser: () => Browser): void {
  describe('tabs', () => {
    const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).first();

    it('are chosen by keys, and a choice holds for all pages and stays', async () => {
      const context = await openWindow(browser(), 1280, 'light');
      const page = await context.newPage();
      await open(page, 'start.html');
      await tab(page, 'In a page').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      expect(await tab(page, 'Next.js').getAttribute('aria-selected')).toBe('true');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Next.js');
      expect(await page.getByRole('tabpanel', { name: 'Next.js' }).isVisible()).toBe(true);
      expect(await page.getByRole('tabpanel', { name: 'Vite' }).count()).toBe(0);
      await tab(page, 'pnpm').click();
      await page.getByText('pnpm add keysweep').locator('visible=true').waitFor();
      await open(page, 'pages.html');
      await page.locator('[role=tab][aria-selected=true]', { hasText: 'Next.js' }).waitFor();
      await open(page, 'packages/keysweep.html');
      await page.getByText('pnpm add keysweep').locator('visible=true').waitFor();
      await context.close();
    });

    it('show the heading that an address names', async () => {
      const context = await openWindow(browser(), 1280, 'light');
      const page = await context.newPage();
      await open(page, 'start.html#node');
      await page.getByRole('tabpanel', { name: 'Node' }).locator('visible=true').waitFor();
      await page.locator('.VPDocOutlineItem a[href="#vite"]').click();
      await page.getByRole('tabpanel', { name: 'Vite' }).locator('visible=true').waitFor();
      await context.close();
    });

    it('show all that they have without scripts', async () => {
      const context = await openWindow(browser(), 1280, 'light', false);
      const page = await context.newPage();
      await page.goto(`${ORIGIN}start.html`);
      for (const text of ['yarn add keysweep', 'node sort.mjs', "'use client'"]) {
        await page.locator('.panel', { hasText: text }).locator('visible=true').first().waitFor();
      }
      expect(await page.locator('[role=tablist]').locator('visible=true').count()).toBe(0);
      await context.close();
    });
  });

  describe('a block of code', () => {
    const CODE = /run-block|block-worker|keysweep\.min/;

    it('of the first page compares sorts, can be edited and stopped, and loads late', async () => {
      const context = await openWindow(browser(), 1280, 'light');
      const page = await context.newPage();
      const loaded: string[] = [];
      page.on('request', (request) => {
        if (CODE.test(request.url())) loaded.push(request.url());
      });
      await open(page, 'index.html');
      await page.waitForLoadState('networkidle');
      expect(loaded).toEqual([]);
      const block = page.locator('.runnable').first();
      const [button, status] = [block.locator('.run button'), block.locator('[role=status]')];
      await button.click();
      await status.filter({ hasText: /^1,000,000 keys|times as fast: 1,000,000 keys/ }).waitFor();
      expect(await status.textContent()).not.toContain('differ');
      expect(await block.locator('.time .ms').allInnerTexts()).toEqual([
        expect.stringMatching(/^[\d.]+ ms$/),
        expect.stringMatching(/^[\d.]+ ms$/),
      ]);
      expect(loaded.length).toBeGreaterThan(1);

      const edit = async (code: string) => {
        await block.locator('code').fill(code);
        await button.click();
      };
      await edit(
        "import { sort } from 'keysweep';\nconsole.log(await sort(Float32Array.of(2, -0)));",
      );
      await status.filter({ hasText: 'Ran in' }).waitFor();
      expect(await block.locator('.line').allInnerTexts()).toEqual(['Float32Array(2) [ -0, 2 ]']);
      await edit("throw new TypeError('no such thing');");
      await status.filter({ hasText: 'TypeError: no such thing' }).waitFor();
      await edit('for (;;);');
      await button.filter({ hasText: 'Stop' }).click();
      await status.filter({ hasText: 'Stopped.' }).waitFor();
      await context.close();
    });
  });

  describe('the name in a block of code that is pointed at', () => {
    const type = (page: Page) => page.locator('.name-type');

    it('has its type and the first words about it, until Escape', async () => {
      const context = await openWindow(browser(), 1280, 'light');
      const page = await context.newPage();
      const loaded: string[] = [];
      page.on('request', (request) => {
        if (/\/types\/|name-types/.test(request.url()))
          loaded.push(new URL(request.url()).pathname);
      });
      await open(page, 'rows.html');
      await page.waitForLoadState('networkidle');
      expect(loaded).toEqual([]);
      const code = page.locator('.runnable code').first();
      await code
        .locator('span', { hasText: /^ *sortRows$/ })
        .first()
        .hover();
      await type(page).filter({ hasText: 'sortRows' }).filter({ hasText: 'Promise<' }).waitFor();
      expect(loaded).toContain('/types/rows.json');
      expect(await code.getAttribute('aria-describedby')).toBe('name-type');
      await page.keyboard.press('Escape');
      await type(page).waitFor({ state: 'detached' });
      await context.close();
    });

    it('is found by the caret, too, and an edited block has none', async () => {
      const context = await openWindow(browser(), 1280, 'light');
      const page = await context.newPage();
      await open(page, 'rows.html');
      const code = page.locator('.runnable code').first();
      await code
        .locator('span', { hasText: /^ *sortRows$/ })
        .first()
        .click();
      await type(page).filter({ hasText: 'sortRows' }).waitFor();
      await page.keyboard.type('x');
      await type(page).waitFor({ state: 'detached' });
      await context.close();
    });
  });

  it('the menu of versions leads to what each has changed', async () => {
    const context = await openWindow(browser(), 1280, 'light');
    const page = await context.newPage();
    await open(page, 'start.html');
    const [newest] = readVersions();
    await page.locator('.VPNavBarMenuGroup', { hasText: versionNow() }).hover();
    await page.getByRole('link', { name: `${newest?.title}: changes` }).click();
    await page.waitForURL(/changelog\.html#/);
    await context.close();
  });
}
