/** How words come back from the GPU. */

import { rectangles } from './rectangles.js';

/** A buffer of the GPU's that it fills while the thread does other work. */
export class Readback {
  readonly #gl: WebGL2RenderingContext;
  readonly #buffer: WebGLBuffer;
  #bytes = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#buffer = gl.createBuffer();
  }

  /** Begins to fetch the first `length` words of `framebuffer`, after all commands before. */
  request(framebuffer: WebGLFramebuffer, columnBits: number, length: number): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#buffer);
    const texels = Math.ceil(length / 4);
    this.#resize(16 * texels);
    for (const { row, columns, rows, at } of rectangles(texels, columnBits)) {
      gl.readPixels(0, row, columns, rows, gl.RGBA_INTEGER, gl.UNSIGNED_INT, 16 * at);
    }
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  /** Fills `words` with what was fetched. It blocks if the GPU is not done. */
  take(words: Uint32Array<ArrayBuffer>): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#buffer);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, words);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  /** Releases its memory. */
  release(): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#buffer);
    this.#resize(0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  #resize(bytes: number): void {
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#gl.bufferData(this.#gl.PIXEL_PACK_BUFFER, bytes, this.#gl.STREAM_READ);
  }
}

/**
 * Resolves when the GPU has done all commands so far, or the context is lost. It polls a fence,
 * each time in a task of its own, on one message channel for all: waiting for the fence would
 * block, and a timer would be up to 4 ms late. A software renderer (`software`) shares the CPU's
 * cores, so that polling would slow it down: a timer is used there.
 */
export function whenDone(gl: WebGL2RenderingContext, software: boolean): Promise<void> {
  const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const { port1, port2 } = new MessageChannel();
  return new Promise<void>((resolve) => {
    const poll = (): void => {
      const isDone =
        fence === null ||
        gl.isContextLost() ||
        gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED;
      if (isDone) resolve();
      else if (software) setTimeout(poll, 1);
      else port2.postMessage(0);
    };
    port1.onmessage = poll;
    poll();
  }).finally(() => {
    port1.close();
    gl.deleteSync(fence);
  });
}
