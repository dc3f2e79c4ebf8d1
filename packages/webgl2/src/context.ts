/** WebGL2 contexts: whether there is one that will do, and what it can. */

import type { SlotBits } from './network.js';

/** What a context is like. */
export interface ContextFacts {
  /** The GPU, as the browser names it. */
  readonly renderer: string;
  /** Whether the CPU plays the GPU. */
  readonly software: boolean;
  /** Most columns and rows of a texture. */
  readonly maxTextureSize: number;
  /** Textures that can be written at a time, as a power of two. */
  readonly slotBits: SlotBits;
}

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software/i;

/** A canvas that nobody sees, or a clause that says why there is none. */
function hiddenCanvas(): OffscreenCanvas | HTMLCanvasElement | string {
  if (typeof OffscreenCanvas !== 'undefined') return new OffscreenCanvas(1, 1);
  if (typeof document !== 'undefined') return document.createElement('canvas');
  return 'there is no canvas here: WebGL2 is for pages and their workers';
}

/** A new context, or a clause that says why there is none. */
export function openContext(): WebGL2RenderingContext | string {
  const canvas = hiddenCanvas();
  if (typeof canvas === 'string') return canvas;
  const context = canvas.getContext('webgl2', {
    alpha: false,
    antialias: false,
    depth: false,
    powerPreference: 'high-performance',
  }) as WebGL2RenderingContext | null;
  return context ?? 'this browser gives no WebGL2 context: it has none, or has too many open';
}

/** What `gl` is like, or a clause that says what it lacks. */
export function inspect(gl: WebGL2RenderingContext): ContextFacts | string {
  if (gl.isContextLost()) return 'the WebGL2 context is lost';
  // Float textures can be read everywhere, but written only with this.
  if (gl.getExtension('EXT_color_buffer_float') === null) {
    return 'the GPU draws no float textures (EXT_color_buffer_float)';
  }
  // WebGL2 promises four of both, and most GPUs have eight.
  const targets = [gl.MAX_DRAW_BUFFERS, gl.MAX_COLOR_ATTACHMENTS].map((name) =>
    Number(gl.getParameter(name)),
  );
  const slotBits = Math.min(...targets) < 8 ? 2 : 3;
  const debug = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(debug?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  const maxTextureSize = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
  return { renderer, software: SOFTWARE.test(renderer), maxTextureSize, slotBits };
}

/** Gives a context back: browsers have few, and are slow to collect them. */
export function dropContext(gl: WebGL2RenderingContext | null | undefined): void {
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
}
