/** What a soak counts in Node.js and in a page alike: GPU devices and their buffers, and bytes. */

interface Opened {
  readonly device: GPUDevice;
  readonly buffers: Set<GPUBuffer>;
  isDestroyed: boolean;
}

/** The devices that a backend opens, and their buffers. */
export class Devices {
  readonly #opened: Opened[] = [];
  readonly #request: () => Promise<GPUAdapter>;

  constructor(request: () => Promise<GPUAdapter>) {
    this.#request = request;
  }

  /** An option of `webgpu`. */
  readonly requestAdapter = async (): Promise<GPUAdapter> => {
    const adapter = await this.#request();
    const open = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => this.#watch(await open(descriptor));
    return adapter;
  };

  #watch(device: GPUDevice): GPUDevice {
    const opened: Opened = { device, buffers: new Set(), isDestroyed: false };
    this.#opened.push(opened);
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      opened.buffers.add(buffer);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        opened.buffers.delete(buffer);
        return destroy();
      };
      return buffer;
    };
    const destroy = device.destroy.bind(device);
    device.destroy = () => {
      opened.isDestroyed = true;
      opened.buffers.clear();
      return destroy();
    };
    return device;
  }

  /** Devices that were not destroyed. */
  get live(): readonly GPUDevice[] {
    return this.#opened.filter(({ isDestroyed }) => !isDestroyed).map(({ device }) => device);
  }

  /** Buffers of these that were not destroyed. */
  get buffers(): number {
    return this.#opened.reduce((sum, { buffers }) => sum + buffers.size, 0);
  }

  /** Forgets devices that were destroyed. */
  forget(): void {
    this.#opened.splice(0, this.#opened.length, ...this.#opened.filter((one) => !one.isDestroyed));
  }
}

/** What there is of each, undefined where nobody says. */
export interface Memory {
  /** Bytes of objects. */
  readonly objects?: number | undefined;
  /** Bytes of array buffers. */
  readonly arrays?: number | undefined;
  /** Bytes that the process, or all of a browser's, have of the system. */
  readonly all?: number | undefined;
  readonly descriptors?: number | undefined;
  readonly processListeners?: number | undefined;
}

/** How much more of each a soak may hold at its end than after its first eras. */
const ALLOWED: Readonly<Record<keyof Memory, number>> = {
  objects: 16 * 2 ** 20,
  arrays: 16 * 2 ** 20,
  all: 512 * 2 ** 20,
  descriptors: 4,
  processListeners: 0,
};

/** What `now` has too much of, against `before`. */
export function faultOfMemory(before: Memory, now: Memory): string | undefined {
  const name = (Object.keys(ALLOWED) as (keyof Memory)[]).find(
    (name) => (now[name] ?? 0) - (before[name] ?? 0) > ALLOWED[name],
  );
  return (
    name && `${LABELS[name]}: ${now[name]} after ${before[name]}, allowed ${ALLOWED[name]} more`
  );
}

const LABELS: Readonly<Record<keyof Memory, string>> = {
  objects: 'bytes of objects',
  arrays: 'bytes of array buffers',
  all: 'bytes of the process',
  descriptors: 'file descriptors',
  processListeners: 'listeners on the process',
};

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Looks for a fault until there is none, for five seconds: some things end a little later. */
export async function lasting(
  look: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  let fault = await look();
  for (let i = 0; i < 50 && fault !== undefined; i++) {
    await wait(100);
    fault = await look();
  }
  return fault;
}
