/** What the page does for whoever drives it. */

export { check } from './webgl2-check.js';
export { measure } from './webgl2-measure.js';
