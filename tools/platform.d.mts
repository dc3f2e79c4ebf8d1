/** What this platform's tests leave out, and why. */

/**
 * Whether the npm package @sparticuz/chromium runs here. Elsewhere the tests take the browser that
 * `npx playwright install chromium` installs.
 */
export declare const HAS_CHROMIUM_PACKAGE: boolean;

/** Files of tests that a run leaves out, with the reason: they count as skipped. */
export interface LeftOut {
  readonly files: readonly string[];
  readonly reason: string;
}

/** Files of tests that cannot run here. */
export declare const LEFT_OUT: readonly LeftOut[];
