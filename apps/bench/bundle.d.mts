/** Types of bundle.mjs, for the tests. */

export function bundleProgram(folder: string, main?: string): Promise<void>;
export function buildPage(folder: string): Promise<unknown>;
export function buildFirst(folder: string): Promise<unknown>;
