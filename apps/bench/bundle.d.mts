/** Types of bundle.mjs. */

export function buildPage(root: string, outDir: string): Promise<unknown>;
