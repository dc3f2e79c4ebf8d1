/**
 * Eight textures written at a time, on GPUs that write four. Each draw is done twice, by two
 * programs of the same text: the first writes the lower four, the second the upper four. What a
 * program does not write is an ordinary variable in it.
 */

type GL = WebGL2RenderingContext;
// biome-ignore lint/suspicious/noExplicitAny: methods of every kind are replaced.
type Method = (this: GL, ...args: any[]) => any;

const HALF = 4;
const OUTPUT = /layout\(location = (\d)\) out vec4 data/g;

/** `text` with the outputs from `first` on, four of them. */
const writing = (text: string, first: number): string =>
  text.replace(OUTPUT, (_, digits: string) => {
    const place = Number(digits) - first;
    return place < 0 || place >= HALF ? 'vec4 data' : `layout(location = ${place}) out vec4 data`;
  });

/** Has contexts of this realm show eight targets, until the function that it returns is called. */
export function showEightTargets(): () => void {
  const prototype = WebGL2RenderingContext.prototype as unknown as Record<string, Method>;
  const originals: Record<string, Method> = {};
  const replace = (name: string, make: (original: Method) => Method): void => {
    const original = prototype[name] as Method;
    originals[name] = original;
    prototype[name] = make(original);
  };
  const texts = new WeakMap<WebGLShader, string>();
  const shaders = new WeakMap<WebGLProgram, WebGLShader[]>();
  const upperProgram = new WeakMap<WebGLProgram, WebGLProgram>();
  const upperLocation = new WeakMap<WebGLUniformLocation, WebGLUniformLocation>();
  const upperFramebuffer = new WeakMap<WebGLFramebuffer, WebGLFramebuffer>();
  let program: WebGLProgram | undefined;
  let framebuffer: WebGLFramebuffer | undefined;

  /** Does `work` with the upper half in the place of the lower. */
  function inUpper(gl: GL, work: () => void): void {
    const [lowerProgram, lowerFramebuffer] = [program, framebuffer];
    const upper = lowerProgram && upperProgram.get(lowerProgram);
    if (upper === undefined) return;
    originals.useProgram?.call(gl, upper);
    if (lowerFramebuffer) bindUpper(gl, lowerFramebuffer);
    work();
    originals.useProgram?.call(gl, lowerProgram);
    originals.bindFramebuffer?.call(gl, gl.FRAMEBUFFER, lowerFramebuffer ?? null);
  }

  function bindUpper(gl: GL, lower: WebGLFramebuffer): void {
    const upper = upperFramebuffer.get(lower) ?? gl.createFramebuffer();
    upperFramebuffer.set(lower, upper);
    originals.bindFramebuffer?.call(gl, gl.FRAMEBUFFER, upper);
  }

  replace(
    'getParameter',
    (get) =>
      function (name) {
        const isTargets = name === this.MAX_DRAW_BUFFERS || name === this.MAX_COLOR_ATTACHMENTS;
        return isTargets ? 2 * HALF : get.call(this, name);
      },
  );
  replace(
    'shaderSource',
    (set) =>
      function (shader, text: string) {
        texts.set(shader, text);
        set.call(this, shader, text.includes('out vec4 data7') ? writing(text, 0) : text);
      },
  );
  replace(
    'attachShader',
    (attach) =>
      function (owner, shader) {
        shaders.set(owner, [...(shaders.get(owner) ?? []), shader]);
        attach.call(this, owner, shader);
      },
  );
  replace(
    'linkProgram',
    (link) =>
      function (owner) {
        link.call(this, owner);
        const [vertex, fragment] = shaders.get(owner) as [WebGLShader, WebGLShader];
        const text = texts.get(fragment) as string;
        if (!text.includes('out vec4 data7')) return;
        const upper = this.createShader(this.FRAGMENT_SHADER) as WebGLShader;
        originals.shaderSource?.call(this, upper, writing(text, HALF));
        this.compileShader(upper);
        const second = this.createProgram();
        originals.attachShader?.call(this, second, vertex);
        originals.attachShader?.call(this, second, upper);
        link.call(this, second);
        upperProgram.set(owner, second);
      },
  );
  replace(
    'useProgram',
    (use) =>
      function (next) {
        program = next;
        use.call(this, next);
      },
  );
  replace(
    'bindFramebuffer',
    (bind) =>
      function (target, next) {
        framebuffer = next;
        bind.call(this, target, next);
      },
  );
  replace(
    'getUniformLocation',
    (get) =>
      function (owner, name) {
        const location = get.call(this, owner, name);
        const upper = upperProgram.get(owner);
        if (location && upper) upperLocation.set(location, get.call(this, upper, name));
        return location;
      },
  );
  for (const name of Object.getOwnPropertyNames(prototype).filter((n) => /^uniform\d/.test(n))) {
    replace(
      name,
      (set) =>
        function (location, ...values) {
          set.call(this, location, ...values);
          const upper = location && upperLocation.get(location);
          if (upper) inUpper(this, () => set.call(this, upper, ...values));
        },
    );
  }
  replace(
    'framebufferTexture2D',
    (attach) =>
      function (target, place, ...rest) {
        if (place < this.COLOR_ATTACHMENT0 + HALF) {
          attach.call(this, target, place, ...rest);
          return;
        }
        const lower = framebuffer as WebGLFramebuffer;
        bindUpper(this, lower);
        attach.call(this, target, place - HALF, ...rest);
        originals.bindFramebuffer?.call(this, this.FRAMEBUFFER, lower);
      },
  );
  replace(
    'drawBuffers',
    (choose) =>
      function (places: number[]) {
        choose.call(this, places.slice(0, HALF));
        if (places.length > HALF) inUpper(this, () => choose.call(this, places.slice(0, HALF)));
      },
  );
  replace(
    'drawArrays',
    (draw) =>
      function (...args) {
        draw.call(this, ...args);
        inUpper(this, () => draw.call(this, ...args));
      },
  );
  return () => Object.assign(prototype, originals);
}
