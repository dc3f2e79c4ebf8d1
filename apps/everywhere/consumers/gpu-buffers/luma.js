import { Buffer } from '@luma.gl/core';
import { COUNT, NEGATE, playDepths, WORKGROUPS } from './frames.js';
import { makeDepthSorter, makeDevice } from './luma-recipe.js';

const device = await makeDevice(document.querySelector('canvas'));
const usage = Buffer.STORAGE | Buffer.COPY_SRC | Buffer.COPY_DST;
const [source, depths, order] = Array.from({ length: 3 }, () =>
  device.createBuffer({ byteLength: 4 * COUNT, usage }),
);
const pipeline = device.createComputePipeline({
  shader: device.createShader({ stage: 'compute', source: NEGATE }),
  shaderLayout: {
    bindings: [
      { name: 'source', type: 'read-only-storage', group: 0, location: 0 },
      { name: 'depths', type: 'storage', group: 0, location: 1 },
    ],
  },
});

const { sort, destroy } = await makeDepthSorter(device, depths, order, COUNT);
await playDepths(async (numbers) => {
  source.write(numbers);
  const negate = device.beginComputePass({});
  negate.setPipeline(pipeline);
  negate.setBindings({ source, depths });
  negate.dispatch(WORKGROUPS);
  negate.end();
  sort();
  device.beginRenderPass({ clearColor: [0, 0, 0, 1] }).end();
  device.submit();
  const bytes = await order.readAsync();
  return bytes.slice().buffer;
}, destroy);
