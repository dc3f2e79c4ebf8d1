/** What axe-core finds on a page. */

import type { Page } from 'playwright';

interface Axe {
  run(
    part: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** What axe finds on the page that is open; `script` is axe.min.js. */
export async function findings(page: Page, script: string): Promise<string[]> {
  await page.addScriptTag({ path: script });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      ({ id, nodes }) => `${location}: ${id}, ${nodes.length} times: ${nodes[0]?.html}`,
    );
  });
}
