/** The file in that folder that says where fonts are. */
export const FONTS: string;

/**
 * The folder of the npm package's Chromium, and of its software GPU. The first call unpacks 200 MB
 * and takes a few seconds.
 *
 * The package unpacks into the temporary folder of the process, and NSS and Expat, which Chromium
 * links to, only where it finds itself on AWS Lambda. So a process of its own is told both.
 */
export function chromiumFolder(): string;
