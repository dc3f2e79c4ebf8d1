/** Types of build.mjs. */

export function buildPage(outDir: string): Promise<unknown>;
export function bundle(outDir: string): Promise<void>;
