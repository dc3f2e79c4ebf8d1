/** What the page does for whoever drives it. */

export { check } from './check.js';
export { measure } from './measure.js';
