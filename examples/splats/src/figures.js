/** Figures as people read them. */

/** A share of 1. */
export const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** When something was that so many frames have followed. */
export const ago = (frames) => (frames === 1 ? '1 frame ago' : `${frames} frames ago`);
