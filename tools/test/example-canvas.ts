/**
 * Chromium without a GPU computes and draws with WebGPU, but its GPU process ends when a canvas is
 * to be shown. So tests give the page a canvas whose frames go to a texture. The page is not told.
 */

/** Code that a page runs first. `present()` then shows the last frame. */
export const TEXTURE_CANVAS = `(${() => {
  // biome-ignore lint/suspicious/noExplicitAny: it stands for several overloads
  const getContext = HTMLCanvasElement.prototype.getContext as any;
  const contexts = new WeakMap<HTMLCanvasElement, object>();
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
    // biome-ignore lint/complexity/noArguments: all that was given
    if (kind !== 'webgpu') return getContext.apply(this, arguments);
    const known = contexts.get(this);
    if (known !== undefined) return known;
    const screen: CanvasRenderingContext2D = getContext.call(this, '2d');
    let configuration: GPUCanvasConfiguration | null = null;
    let device: GPUDevice;
    let format: GPUTextureFormat;
    let texture: GPUTexture | undefined;

    Object.assign(globalThis, {
      async present() {
        if (texture === undefined) throw new Error('no frame was drawn');
        const { width, height } = texture;
        const bytesPerRow = 256 * Math.ceil((4 * width) / 256);
        const { COPY_DST, MAP_READ } = GPUBufferUsage;
        const buffer = device.createBuffer({
          size: bytesPerRow * height,
          usage: COPY_DST | MAP_READ,
        });
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
        device.queue.submit([encoder.finish()]);
        await buffer.mapAsync(GPUMapMode.READ);
        const bytes = new Uint8Array(buffer.getMappedRange());
        const image = screen.createImageData(width, height);
        const swap = format.startsWith('bgra') ? 2 : 0;
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < 4 * width; x += 4) {
            const [from, to] = [y * bytesPerRow + x, 4 * y * width + x];
            image.data[to] = bytes[from + swap] as number;
            image.data[to + 1] = bytes[from + 1] as number;
            image.data[to + 2] = bytes[from + 2 - swap] as number;
            image.data[to + 3] = 255;
          }
        }
        buffer.destroy();
        screen.putImageData(image, 0, 0);
      },
    });

    const canvas = this;
    const context = {
      canvas,
      configure(wanted: GPUCanvasConfiguration) {
        configuration = { ...wanted };
        ({ device, format } = wanted);
        texture = undefined;
      },
      unconfigure() {
        configuration = null;
      },
      getConfiguration: () => configuration,
      getCurrentTexture() {
        const { width, height } = canvas;
        if (texture?.width !== width || texture.height !== height) {
          const { usage = GPUTextureUsage.RENDER_ATTACHMENT, viewFormats = [] } =
            configuration ?? {};
          texture = device.createTexture({
            size: [width, height],
            format,
            usage: usage | GPUTextureUsage.COPY_SRC,
            viewFormats,
          });
        }
        return texture;
      },
    };
    contexts.set(canvas, context);
    return context;
  };
}})()`;
