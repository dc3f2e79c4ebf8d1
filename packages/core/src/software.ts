/** Renderers that compute on the CPU, and count as no GPU. */

const NAMES = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|software/i;

/** Whether a renderer or an adapter of this name computes on the CPU. */
export const isSoftwareRenderer = (name: string): boolean => NAMES.test(name);
