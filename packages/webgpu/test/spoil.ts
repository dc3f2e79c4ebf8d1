/** Kernels that are wrong. */

/** Has `device` compile `kernel` with `part` of it replaced. */
export function spoil(
  device: GPUDevice,
  [part, by]: readonly [part: string, by: string],
  kernel = 'sweep',
): void {
  const create = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) => {
    const { label, code } = descriptor;
    if (label !== `keysweep ${kernel}`) return create(descriptor);
    if (!code.includes(part)) throw new Error(`the ${kernel} has no '${part}'`);
    return create({ label, code: code.replace(part, by) });
  };
}
