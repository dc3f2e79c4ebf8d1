/** What a device's shading language has that not all browsers' have. */

const SUBGROUP_ID = `enable subgroups;
requires subgroup_id;
@compute @workgroup_size(1) fn ask(@builtin(subgroup_id) number: u32) { _ = number; }`;

const known = new WeakMap<GPUDevice, boolean>();

/**
 * Finds out what the language of `device` has, once. The entry point of WebGPU lists it, but nobody knows which one
 * a device is from: a shader that is refused tells as well.
 */
export async function learnLanguage(device: GPUDevice): Promise<void> {
  if (known.has(device) || !device.features.has('subgroups')) return;
  device.pushErrorScope('validation');
  device.createShaderModule({ label: 'keysweep asks', code: SUBGROUP_ID });
  // A lost device knows nothing, and whoever works with it will be told.
  const error = await device.popErrorScope().catch((cause: Error) => cause);
  known.set(device, error === null);
}

/** Whether `subgroup_id` is a builtin, as far as `learnLanguage` has found out. */
export const hasSubgroupId = (device: GPUDevice): boolean => known.get(device) ?? false;
