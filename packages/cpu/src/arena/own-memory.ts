/** Kernels in a memory of their own, apart from the arena. */

const PAGE = 65536;

/** The exports of a module, and the memory that it works in. */
interface Linked<Kernel> {
  readonly kernel: Kernel;
  readonly buffer: ArrayBuffer;
}

/**
 * Links a module with a new memory of `bytes`, which is shared if the module wants that. Undefined
 * if there is no memory for it.
 */
export function linkInOwnMemory<Kernel>(
  module: WebAssembly.Module,
  bytes: number,
  shared = false,
): Linked<Kernel> | undefined {
  const initial = Math.ceil(bytes / PAGE);
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial, maximum: initial, shared });
  } catch {
    return undefined;
  }
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { kernel: exports as unknown as Kernel, buffer: memory.buffer };
}
