/** Records which calls a sorter makes on a device, and which of its buffers live. */

/** Calls that make something, or do something at once. */
const DEVICE_CALLS = [
  'createBindGroup',
  'createBindGroupLayout',
  'createBuffer',
  'createCommandEncoder',
  'createComputePipeline',
  'createComputePipelineAsync',
  'createPipelineLayout',
  'createQuerySet',
  'createShaderModule',
  'createTexture',
] as const;
const QUEUE_CALLS = ['onSubmittedWorkDone', 'submit', 'writeBuffer', 'writeTexture'] as const;

export class Spy {
  /** Names of the calls since `start` or `forget`. */
  readonly calls: string[] = [];
  /** Buffers that were made since `start` and not destroyed. */
  readonly buffers: Set<GPUBuffer> = new Set();
  readonly #device: GPUDevice;
  readonly #restore: (() => void)[] = [];

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Watches the device, its queue and `buffers`, until `stop`. */
  start(...buffers: readonly (GPUBuffer | undefined)[]): void {
    const { queue } = this.#device;
    for (const name of DEVICE_CALLS) this.#watch(this.#device, name);
    for (const name of QUEUE_CALLS) this.#watch(queue, name);
    for (const buffer of buffers) if (buffer !== undefined) this.#watch(buffer, 'mapAsync');
  }

  stop(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  /** Bytes of the buffers that live. */
  get bytes(): number {
    return [...this.buffers].reduce((sum, { size }) => sum + size, 0);
  }

  forget(): void {
    this.calls.length = 0;
  }

  #watch(owner: object, name: string): void {
    const target = owner as Record<string, (...args: unknown[]) => unknown>;
    const method = target[name] as (...args: unknown[]) => unknown;
    target[name] = (...args) => {
      this.calls.push(name);
      const result = method.apply(target, args);
      if (name === 'createBuffer') this.#follow(result as GPUBuffer);
      return result;
    };
    this.#restore.push(() => {
      target[name] = method;
    });
  }

  #follow(buffer: GPUBuffer): void {
    this.buffers.add(buffer);
    const destroy = buffer.destroy;
    buffer.destroy = () => {
      this.buffers.delete(buffer);
      return destroy.call(buffer);
    };
    this.#watch(buffer, 'mapAsync');
  }
}
