/** What axe-core finds on a page. */

import type { Page } from 'playwright';

interface Axe {
  run(
    part: Document,
    options: object,
  ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

/** The serious and critical findings on the page that is open; `script` is axe.min.js. */
export async function seriousFindings(page: Page, script: string): Promise<string[]> {
  await page.addScriptTag({ path: script });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${location}: ${id}, ${nodes.length} times: ${nodes[0]?.html}`);
  });
}
