/** Where this code runs. */

/**
 * Whether this is a page or one of its workers, which alone have an address. Edge functions and
 * React Native look much like them, but nobody can give those a policy or a newer browser.
 */
export const isInPage = (): boolean =>
  (globalThis as { readonly location?: unknown }).location !== undefined;
