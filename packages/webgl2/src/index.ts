/** @keysweep/webgl2: bitonic sort in WebGL2 fragment shaders, through gpu.js. */

export { type Webgl2Options, webgl2 } from './backend.js';
