/** Broad phase on the GPU: cells, sort, starts, collisions, all in one compute pass. */

import { RadixSorter } from '@keysweep/webgpu';
import code from './particles.wgsl?raw';

/** `count` discs in a box, drawn into `canvas`. */
export async function makeSimulation(adapter, canvas, count) {
  // Discs cover half of the box. A cell is at least as wide as a disc.
  const radius = Math.sqrt((0.5 * 4) / (Math.PI * count));
  const side = Math.floor(1 / radius);

  const device = await adapter.requestDevice(RadixSorter.deviceDescriptor(adapter));
  const sorter = await RadixSorter.create(device, {
    keyType: 'u32',
    valueType: 'index', // the sorter writes the numbers of the discs itself
    maxCount: count,
    keyBits: { begin: 0, end: Math.ceil(Math.log2(side * side)) }, // no more passes than cells need
  });

  const { STORAGE, UNIFORM, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const makeBuffer = (words, usage = STORAGE) =>
    device.createBuffer({ size: 4 * words, usage: usage | COPY_SRC | COPY_DST });
  const frameBuffer = makeBuffer(4, UNIFORM);
  // Two states: one is read, the next one is written.
  const states = [makeBuffer(4 * count), makeBuffer(4 * count)];
  const [cells, ids, contacts] = [makeBuffer(count), makeBuffer(count), makeBuffer(count)];
  const starts = makeBuffer(side * side + 1);
  // Anywhere, at rest: x, y and speed of each. The same in every run.
  const start = (_, i) => (i % 4 < 2 ? 0.95 * ((Math.sin(12.9898 * i) * 43758.5453) % 1) : 0);
  device.queue.writeBuffer(states[0], 0, Float32Array.from({ length: 4 * count }, start));

  const context = canvas.getContext('webgpu');
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format });

  const module = device.createShaderModule({ code });
  const constants = { count, radius, side };
  const [writeCells, findStarts, collide] = ['writeCells', 'findStarts', 'collide'].map(
    (entryPoint) =>
      device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint, constants } }),
  );
  const paint = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, constants },
    fragment: { module, targets: [{ format }] },
    primitive: { topology: 'triangle-strip' },
  });

  /** Sets a pipeline, and binds buffers by the numbers that the shader gives them. */
  function use(pass, pipeline, buffers) {
    const entries = Object.entries(buffers).map(([number, resource]) => ({
      binding: Number(number),
      resource,
    }));
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }),
    );
  }

  /** Moves all discs on, and draws them. Resolves when the GPU has done so. */
  function step(time, pointer) {
    const [now, next] = states;
    const turn = time / 4000;
    const gravity = [0.01 * Math.sin(turn), -0.01 * Math.cos(turn)];
    device.queue.writeBuffer(frameBuffer, 0, Float32Array.of(...gravity, ...pointer));

    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const groups = Math.ceil(count / 64);
    use(pass, writeCells, { 1: now, 3: cells });
    pass.dispatchWorkgroups(groups);
    // Cells and their discs are in order for what is dispatched behind.
    sorter.encode(pass, { keys: cells, values: ids, count });
    use(pass, findStarts, { 3: cells, 5: starts });
    pass.dispatchWorkgroups(groups);
    use(pass, collide, { 0: frameBuffer, 1: now, 2: next, 4: ids, 5: starts, 6: contacts });
    pass.dispatchWorkgroups(groups);
    pass.end();

    const view = context.getCurrentTexture().createView();
    const clearValue = [0.06, 0.09, 0.12, 1];
    const render = encoder.beginRenderPass({
      colorAttachments: [{ view, loadOp: 'clear', clearValue, storeOp: 'store' }],
    });
    use(render, paint, { 1: next, 7: contacts });
    render.draw(4, count);
    render.end();
    device.queue.submit([encoder.finish()]);
    states.reverse();
    return device.queue.onSubmittedWorkDone();
  }

  /** What the last step read and wrote: for the test. */
  async function snapshot() {
    const buffers = { discs: states[1], cells, ids, contacts };
    const copies = Object.entries(buffers).map(async ([name, buffer]) => {
      const { size } = buffer;
      const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const bytes = copy.getMappedRange().slice(0);
      copy.destroy();
      return [name, [...(name === 'discs' ? new Float32Array(bytes) : new Uint32Array(bytes))]];
    });
    return Object.fromEntries(await Promise.all(copies));
  }

  return { radius, side, lost: device.lost, step, snapshot };
}
