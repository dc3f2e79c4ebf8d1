/** WebGL2 contexts: opening one, and what it can do. */

import type { SlotBits } from '../network/plan.js';

/** The properties of a context that matter here. */
export interface ContextFacts {
  /** The browser's name of the GPU. */
  readonly renderer: string;
  /** Whether it is a software renderer, which runs on the CPU. */
  readonly software: boolean;
  /** Most columns and rows of a texture. */
  readonly maxTextureSize: number;
  /** Textures that a fragment can write: 2^slotBits. */
  readonly slotBits: SlotBits;
}

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software/i;

/** A canvas outside of the page, or a clause that says why there is none. */
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

/** The properties of `gl`, or a clause that says what it lacks. */
export function inspect(gl: WebGL2RenderingContext): ContextFacts | string {
  if (gl.isContextLost()) return 'the WebGL2 context is lost';
  // The shaders here do not need it, but gpu.js makes no kernel of 32-bit channels without it.
  if (gl.getExtension('EXT_color_buffer_float') === null) {
    return 'the GPU draws no float textures (EXT_color_buffer_float)';
  }
  // WebGL2 guarantees four, and most GPUs have eight.
  const slotBits = drawsTextures(gl, 8) ? 3 : 2;
  const debug = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(debug?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  const maxTextureSize = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
  return { renderer, software: SOFTWARE.test(renderer), maxTextureSize, slotBits };
}

/**
 * Whether `gl` draws `count` textures of four 32-bit integers at a time. Some GPUs limit the bytes
 * as well as the number, so that a framebuffer has to be tried.
 */
function drawsTextures(gl: WebGL2RenderingContext, count: number): boolean {
  const names = [gl.MAX_DRAW_BUFFERS, gl.MAX_COLOR_ATTACHMENTS];
  if (names.some((name) => Number(gl.getParameter(name)) < count)) return false;
  const { FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D } = gl;
  const framebuffer = gl.createFramebuffer();
  const textures = Array.from({ length: count }, () => gl.createTexture());
  gl.bindFramebuffer(FRAMEBUFFER, framebuffer);
  for (const [i, texture] of textures.entries()) {
    gl.bindTexture(TEXTURE_2D, texture);
    gl.texStorage2D(TEXTURE_2D, 1, gl.RGBA32UI, 1, 1);
    gl.framebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT0 + i, TEXTURE_2D, texture, 0);
  }
  gl.drawBuffers(textures.map((_, i) => COLOR_ATTACHMENT0 + i));
  const isComplete = gl.checkFramebufferStatus(FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE;
  gl.deleteFramebuffer(framebuffer);
  for (const texture of textures) gl.deleteTexture(texture);
  return isComplete;
}

/** Releases a context: browsers allow few, and collect them late. */
export function dropContext(gl: WebGL2RenderingContext | null | undefined): void {
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
}
