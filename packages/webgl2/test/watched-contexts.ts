/** What is done to WebGL2 contexts of this realm, from when it is watched. */

type Method = (this: WebGL2RenderingContext, ...args: never[]) => unknown;

/** What can be made, and must be deleted. */
const KINDS = ['Texture', 'Buffer', 'Framebuffer', 'Program', 'Shader', 'VertexArray'] as const;

export class WatchedContexts {
  /** How many of each kind there are. */
  readonly live: Record<string, number> = {};
  /** Texels of each texture, and bytes of each buffer that pixels are read to. */
  readonly sizes: Map<unknown, number> = new Map();
  /** Called before a method is. */
  before: (name: string, gl: WebGL2RenderingContext) => void = () => {};
  readonly #restore: (() => void)[] = [];

  constructor() {
    const prototype = WebGL2RenderingContext.prototype as unknown as Record<string, Method>;
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      if (typeof value !== 'function' || name === 'constructor') continue;
      const watched = this;
      prototype[name] = function (...args) {
        watched.before(name, this);
        watched.#count(name, args);
        watched.#measure(name, this, args);
        return (value as Method).apply(this, args);
      };
      this.#restore.push(() => {
        prototype[name] = value;
      });
    }
  }

  /** Stops watching. */
  restore(): void {
    for (const restore of this.#restore) restore();
  }

  #measure(name: string, gl: WebGL2RenderingContext, args: readonly unknown[]): void {
    const bound = (what: GLenum): unknown => gl.getParameter(what);
    if (name === 'texImage2D' || name === 'texStorage2D') {
      const [, , , columns, rows] = args as number[];
      this.sizes.set(bound(gl.TEXTURE_BINDING_2D), Number(columns) * Number(rows));
    } else if (name === 'bufferData' && args[0] === gl.PIXEL_PACK_BUFFER) {
      this.sizes.set(bound(gl.PIXEL_PACK_BUFFER_BINDING), args[1] as number);
    } else if (/^delete(Texture|Buffer)$/.test(name)) {
      this.sizes.delete(args[0]);
    }
  }

  #count(name: string, args: readonly unknown[]): void {
    for (const kind of [...KINDS, 'Sync'] as const) {
      const made = kind === 'Sync' ? 'fenceSync' : `create${kind}`;
      if (name === made) this.live[kind] = (this.live[kind] ?? 0) + 1;
      if (name === `delete${kind}` && args[0]) this.live[kind] = (this.live[kind] ?? 0) - 1;
    }
  }
}
