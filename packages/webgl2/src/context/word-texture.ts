/** How words come to the GPU: textures of four words a texel. */

import type { TextureBits } from '../gpujs/kernels.js';
import type { GpuLibrary, GpuTexture } from '../gpujs/library.js';
import { rectangles } from './rectangles.js';

/** Texels that are sent at a time, 4 MiB: the next are copied while these are being sent. */
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
    // Integers can't be filtered, and a texture with a filter would read as zeros.
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    this.#argument = this.#allocate();
  }

  /** The texture as an argument of kernels. */
  get argument(): GpuTexture {
    return this.#argument;
  }

  get columnBits(): number {
    return this.#bits.columnBits;
  }

  /** Allocates a texture of this size, if it has another. Its content is then undefined. */
  resize(bits: TextureBits): void {
    if (bits.columnBits === this.#bits.columnBits && bits.rowBits === this.#bits.rowBits) return;
    this.#bits = bits;
    this.#bind();
    this.#argument = this.#allocate();
  }

  /** Writes `words` from the first texel on. */
  upload(words: Uint32Array<ArrayBuffer>): void {
    const whole = Math.floor(words.length / 4);
    this.#bind();
    for (const { row, columns, rows, at } of rectangles(whole, this.columnBits)) {
      const rowsAtOnce = Math.ceil(PIECE / columns);
      for (let first = 0; first < rows; first += rowsAtOnce) {
        const next = Math.min(rowsAtOnce, rows - first);
        this.#fill(0, row + first, columns, next, words.subarray(4 * (at + first * columns)));
        // Else a browser may collect all pieces before its GPU process begins.
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

  /** Copies what was drawn into `framebuffer`, of the same size. */
  copyFrom(framebuffer: WebGLFramebuffer): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    this.#bind();
    const { columnBits, rowBits } = this.#bits;
    gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 0, 0, 2 ** columnBits, 2 ** rowBits);
  }

  #bind(): void {
    // Any unit will do: gpu.js binds what a kernel reads anew for each run.
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
