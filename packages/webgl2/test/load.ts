/** gpu.js, as a page loads it that has a bundler. */
export const load = (): Promise<object> => import('gpu.js');
