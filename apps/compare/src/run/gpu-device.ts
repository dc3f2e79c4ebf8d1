/** Opens a device for sorts of GPU buffers. */

/** The optional features and the limits that RadixSorter makes use of. */
const FEATURES = ['subgroups', 'subgroup-size-control', 'timestamp-query'];
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

/** A device with all that sorts make use of. The caller destroys it. */
export async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) throw new Error('WebGPU finds no adapter any more');
  return adapter.requestDevice({
    requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)) as GPUFeatureName[],
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });
}
