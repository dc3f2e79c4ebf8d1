/** WebGL2 contexts: opening one, and what it can do. */

import { isSoftwareRenderer } from '@keysweep/core';
import type { SlotBits } from '../network/plan.js';

/** The properties of a context that matter here. */
export interface ContextFacts {
  /** The browser's name of the GPU. */
  readonly renderer: string;
  /** Whether it is a software renderer, which runs on the CPU, or may be one. */
  readonly software: boolean;
  /** Most columns and rows of a texture. */
  readonly maxTextureSize: number;
  /** Textures that a fragment can write: 2^slotBits. */
  readonly slotBits: SlotBits;
}

/** Names by which browsers hide which GPU there is, and with it that there may be none. */
const HIDDEN = /^(apple gpu|mozilla|webkit webgl|generic renderer)?$/i;

/** Apple's systems all have a GPU, whose name is true there, though it says little. */
const isAppleSystem = (): boolean =>
  /Macintosh|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '');

const mayBeSoftware = (renderer: string): boolean =>
  HIDDEN.test(renderer) && !(renderer === 'Apple GPU' && isAppleSystem());

/** Canvases that are not shown. In some browsers only those of the page have WebGL2. */
function* hiddenCanvases(): Generator<OffscreenCanvas | HTMLCanvasElement> {
  if (typeof OffscreenCanvas !== 'undefined') yield new OffscreenCanvas(1, 1);
  if (typeof document !== 'undefined') yield document.createElement('canvas');
}

/** A new context, or a clause that says why there is none. */
export function openContext(): WebGL2RenderingContext | string {
  let reason = 'there is no canvas here: WebGL2 is for pages and their workers';
  for (const canvas of hiddenCanvases()) {
    const context = contextOf(canvas);
    if (context !== null) return context;
    reason = 'this browser gives no WebGL2 context: it has none, or has too many open';
  }
  return reason;
}

function contextOf(canvas: OffscreenCanvas | HTMLCanvasElement): WebGL2RenderingContext | null {
  const settings: WebGLContextAttributes = {
    alpha: false,
    antialias: false,
    depth: false,
    powerPreference: 'high-performance',
  };
  try {
    return canvas.getContext('webgl2', settings) as WebGL2RenderingContext | null;
  } catch {
    // A kind of context that a canvas has never heard of is an error there.
    return null;
  }
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
  const name = String(gl.getParameter(debug?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) ?? '');
  const isHidden = mayBeSoftware(name);
  const renderer = isHidden ? `'${name}', which may be software` : name;
  const maxTextureSize = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
  return { renderer, software: isHidden || isSoftwareRenderer(name), maxTextureSize, slotBits };
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
