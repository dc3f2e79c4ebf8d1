/** Where gpu.js is, for bundlers. */

export const load = () => import('gpu.js');
