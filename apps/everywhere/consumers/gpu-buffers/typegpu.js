import tgpu, { d } from 'typegpu';
import { COUNT, playDepths, WORKGROUPS } from './frames.js';
import { makeDepthSorter, makeRoot } from './typegpu-recipe.js';

const root = await makeRoot();
const floats = d.arrayOf(d.f32, COUNT);
const [source, depths] = [floats, floats].map((type) => root.createBuffer(type).$usage('storage'));
const layout = tgpu.bindGroupLayout({
  source: { storage: floats },
  depths: { storage: floats, access: 'mutable' },
});
const negate = tgpu.computeFn({ in: { id: d.builtin.globalInvocationId }, workgroupSize: [64] })`{
  let i = in.id.x;
  if (i < ${COUNT}) { layout.$.depths[i] = -layout.$.source[i]; }
}`.$uses({ layout });
const pipeline = root
  .createComputePipeline({ compute: negate })
  .with(root.createBindGroup(layout, { source, depths }));

const { order, sort, destroy } = await makeDepthSorter(root, depths);
await playDepths(async (numbers) => {
  source.write([...numbers]);
  const encoder = root.device.createCommandEncoder();
  pipeline.with(encoder).dispatchWorkgroups(WORKGROUPS);
  sort(encoder);
  root.device.queue.submit([encoder.finish()]);
  return order.read();
}, destroy);
