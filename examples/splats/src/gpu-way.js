/** Cull, sort and draw on the GPU, in one command buffer: the order is that of the same frame. */

import { RadixSorter } from '@keysweep/webgpu';
import { Matrix4 } from 'three';
import { viewOf } from './cloud.js';
import { percent } from './figures.js';
import { makeGpuClock } from './gpu-clock.js';
import code from './gpu-way.wgsl?raw';

export async function makeGpuWay({ count, positions, colours, radius }, onLoss) {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  // What the sort can use, and a clock if there is one.
  const requiredFeatures = ['timestamp-query'].filter((feature) => adapter.features.has(feature));
  const device = await adapter.requestDevice(
    RadixSorter.deviceDescriptor(adapter, { requiredFeatures }),
  );
  let isClosed = false;
  let isLost = false;
  device.lost.then(({ message }) => {
    isLost = true;
    if (!isClosed) onLoss(`The GPU is lost: ${message} Choose again what sorts.`);
  });
  const sorter = await RadixSorter.create(device, {
    keyType: 'f32',
    valueType: 'u32',
    order: 'descending',
    maxCount: count,
  });

  const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const makeBuffer = (size, usage) => device.createBuffer({ size, usage: usage | COPY_DST });
  const viewBuffer = makeBuffer(96, UNIFORM);
  const points = makeBuffer(positions.byteLength, STORAGE);
  const paints = makeBuffer(colours.byteLength, STORAGE);
  const depths = makeBuffer(4 * count, STORAGE);
  const ids = makeBuffer(4 * count, STORAGE | COPY_SRC);
  const draw = makeBuffer(16, STORAGE | INDIRECT | COPY_SRC);
  device.queue.writeBuffer(points, 0, positions);
  device.queue.writeBuffer(paints, 0, colours);

  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgpu');
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format });

  const module = device.createShaderModule({ code });
  const cull = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  /** @type {GPUBlendState} */
  const blend = {
    color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
    alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  };
  const paint = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format, blend }] },
    primitive: { topology: 'triangle-strip' },
  });
  /** Binds buffers by the numbers that the shader gives them. */
  const bind = (pipeline, buffers) =>
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: Object.entries(buffers).map(([binding, resource]) => ({
        binding: +binding,
        resource,
      })),
    });
  const forCull = bind(cull, { 0: viewBuffer, 1: points, 2: depths, 3: ids, 4: draw });
  const forPaint = bind(paint, { 0: viewBuffer, 1: points, 5: paints, 6: ids });
  const clock = makeGpuClock(device, 2);
  const clip = new Matrix4();
  let view;
  let inFlight = 0;

  async function read(buffer) {
    const { MAP_READ } = GPUBufferUsage;
    const copy = device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return words;
  }

  return {
    canvas,
    resize(width, height) {
      canvas.width = width;
      canvas.height = height;
    },
    /** Whether it drew: where the GPU is behind, more work would only make it wait longer. */
    draw(camera) {
      if (isLost || inFlight === 2) return false;
      view = viewOf(camera);
      clip.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
      const [x, y] = [camera.projectionMatrix.elements[0], camera.projectionMatrix.elements[5]];
      const numbers = [...clip.elements, ...view, radius * x, radius * y];
      device.queue.writeBuffer(viewBuffer, 0, Float32Array.from(numbers));
      // Four corners of no points yet.
      device.queue.writeBuffer(draw, 0, Uint32Array.of(4, 0, 0, 0));

      const encoder = device.createCommandEncoder();
      const compute = encoder.beginComputePass({ timestampWrites: clock.time(0) });
      compute.setPipeline(cull);
      compute.setBindGroup(0, forCull);
      compute.dispatchWorkgroups(Math.ceil(count / 256));
      // Only the GPU knows how many points are in view: the count stays in its buffer.
      sorter.encode(compute, { keys: depths, values: ids, count: { buffer: draw, offset: 4 } });
      compute.end();
      const render = encoder.beginRenderPass({
        timestampWrites: clock.time(1),
        colorAttachments: [
          {
            view: context.getCurrentTexture().createView(),
            loadOp: 'clear',
            clearValue: [11 / 255, 15 / 255, 22 / 255, 1],
            storeOp: 'store',
          },
        ],
      });
      render.setPipeline(paint);
      render.setBindGroup(0, forPaint);
      render.drawIndirect(draw, 0);
      render.end();
      clock.resolve(encoder);
      device.queue.submit([encoder.finish()]);
      clock.read();
      inFlight++;
      // Work that a loss ends is over, too.
      const over = () => inFlight--;
      device.queue.onSubmittedWorkDone().then(over, over);
      return true;
    },
    figures() {
      const order = 'order of this frame';
      const times = clock.milliseconds();
      if (times === undefined) return [order];
      const [sorting, drawing] = times;
      const share = percent(sorting / (sorting + drawing));
      return [
        `cull and sort ${sorting.toFixed(2)} ms, draw ${drawing.toFixed(2)} ms`,
        `the order takes ${share} of the GPU's work`,
        order,
      ];
    },
    /** What the last frame showed, and whence: for the test. */
    async drawn() {
      if (view === undefined) return undefined;
      const seen = view;
      const [order, [, shown]] = await Promise.all([ids, draw].map(read));
      return { order: order.subarray(0, shown), view: seen };
    },
    close() {
      isClosed = true;
      sorter.destroy();
      device.destroy();
    },
  };
}
