/** Textures of words, four a texel: how words come to the GPU and back. */

import type { TextureBits } from './kernels.js';
import type { GpuLibrary, GpuTexture } from './library.js';

/** Texels that are sent at once, of 4 MiB: the next are copied while these are on their way. */
const PIECE = 2 ** 18;

/** A texture that kernels read words from. */
export class WordTexture {
  readonly #gl: WebGL2RenderingContext;
  readonly #library: GpuLibrary;
  readonly #texture: WebGLTexture;
  #argument: GpuTexture;
  #bits: TextureBits = { columnBits: 0, rowBits: 0 };

  constructor(gl: WebGL2RenderingContext, library: GpuLibrary) {
    this.#gl = gl;
    this.#library = library;
    this.#texture = gl.createTexture();
    this.#bind();
    // Integers can't be filtered: a texture that is has no texels at all.
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    this.#argument = this.#allocate();
  }

  /** As kernels take it. */
  get argument(): GpuTexture {
    return this.#argument;
  }

  get columnBits(): number {
    return this.#bits.columnBits;
  }

  /** Takes memory for a texture of this size, if it has another; its texels are then anything. */
  resize(bits: TextureBits): void {
    if (bits.columnBits === this.#bits.columnBits && bits.rowBits === this.#bits.rowBits) return;
    this.#bits = bits;
    this.#bind();
    this.#argument = this.#allocate();
  }

  /** Fills it from the start. */
  upload(words: Uint32Array<ArrayBuffer>): void {
    const whole = Math.floor(words.length / 4);
    this.#bind();
    for (const { row, columns, rows, at } of rectangles(whole, this.columnBits)) {
      const rowsAtOnce = Math.ceil(PIECE / columns);
      for (let first = 0; first < rows; first += rowsAtOnce) {
        const next = Math.min(rowsAtOnce, rows - first);
        this.#fill(0, row + first, columns, next, words.subarray(4 * (at + first * columns)));
        // Otherwise a browser may gather it all before its process for the GPU begins.
        if (first + next < rows) this.#gl.flush();
      }
    }
    if (4 * whole === words.length) return;
    const last = new Uint32Array(4);
    last.set(words.subarray(4 * whole));
    const { columnBits } = this;
    this.#fill(whole & (2 ** columnBits - 1), whole >> columnBits, 1, 1, last);
  }

  #fill(column: number, row: number, columns: number, rows: number, words: Uint32Array): void {
    const { TEXTURE_2D, RGBA_INTEGER, UNSIGNED_INT } = this.#gl;
    this.#gl.texSubImage2D(
      TEXTURE_2D,
      0,
      column,
      row,
      columns,
      rows,
      RGBA_INTEGER,
      UNSIGNED_INT,
      words,
    );
  }

  /** Fills it with what was drawn into `framebuffer`, of the same size. */
  copyFrom(framebuffer: WebGLFramebuffer): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    this.#bind();
    const { columnBits, rowBits } = this.#bits;
    gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 0, 0, 2 ** columnBits, 2 ** rowBits);
  }

  #bind(): void {
    // gpu.js binds what a kernel reads anew for each run, so that any unit will do.
    this.#gl.activeTexture(this.#gl.TEXTURE0);
    this.#gl.bindTexture(this.#gl.TEXTURE_2D, this.#texture);
  }

  #allocate(): GpuTexture {
    const gl = this.#gl;
    const size = Int32Array.of(2 ** this.#bits.columnBits, 2 ** this.#bits.rowBits);
    const [columns, rows] = size as unknown as [number, number];
    const { TEXTURE_2D, RGBA32UI, RGBA_INTEGER, UNSIGNED_INT } = gl;
    gl.texImage2D(TEXTURE_2D, 0, RGBA32UI, columns, rows, 0, RGBA_INTEGER, UNSIGNED_INT, null);
    return new this.#library.Texture({
      texture: this.#texture,
      type: 'ArrayTexture(4)',
      size,
      dimensions: Int32Array.of(columns, rows, 1),
      output: [columns, rows],
      context: gl,
      kernel: {},
    });
  }
}

/** `length` texels from the start, as rectangles: whole rows, and what is left. */
function* rectangles(
  length: number,
  columnBits: number,
): Generator<{ row: number; columns: number; rows: number; at: number }> {
  const columns = 2 ** columnBits;
  const rows = Math.floor(length / columns);
  if (rows > 0) yield { row: 0, columns, rows, at: 0 };
  const at = rows * columns;
  if (at < length) yield { row: rows, columns: length - at, rows: 1, at };
}

/** The way back, through a buffer that the GPU fills while nobody waits. */
export class Readback {
  readonly #gl: WebGL2RenderingContext;
  readonly #buffer: WebGLBuffer;
  #bytes = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#buffer = gl.createBuffer();
  }

  /** Has the first `length` words of what is drawn into `framebuffer` fetched, once all that was told before is done. */
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

  /** Fills `words` with what was fetched. To be called when the GPU is done, else it waits. */
  take(words: Uint32Array<ArrayBuffer>): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#buffer);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, words);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  /** Gives its memory back. */
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
 * Resolves when the GPU has done all that it was told, or the context is lost. Looks again and again, each time as a task of its
 * own: waiting would block, and a timer would be up to 4 ms late. But where the CPU plays the GPU (`software`), looking would take
 * time from it.
 */
export function whenDone(gl: WebGL2RenderingContext, software: boolean): Promise<void> {
  const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const { port1, port2 } = new MessageChannel();
  return new Promise<void>((resolve) => {
    const look = (): void => {
      const isDone =
        fence === null ||
        gl.isContextLost() ||
        gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED;
      if (isDone) resolve();
      else if (software) setTimeout(look, 1);
      else port2.postMessage(0);
    };
    port1.onmessage = look;
    look();
  }).finally(() => {
    port1.close();
    gl.deleteSync(fence);
  });
}
