/** The papers' sorts on one thread of the CPU: the WebAssembly of kernels/cpu. */

import { WASM } from '../../generated/cpu.js';

export type CpuSortName = 'plainRadix' | 'bufferedRadix' | 'mergeSort';

/**
 * An export of the module: sorts `count` keys, with as much room at `other`. Addresses are in
 * bytes. Returns where the result is, which may be `other`, or nothing if it is at `keys`.
 */
type Kernel = (keys: number, other: number, count: number, counters: number) => number | undefined;

/** Sorts keys in place, on the calling thread. They are copied into the kernels' memory and out. */
export type CpuSort = (keys: Uint32Array) => void;

const PAGE = 65_536;
/** Counters and buffers are in the first page, keys behind it. */
const COUNTERS_AT = 4096;
const KEYS_AT = PAGE;

/** The kernels' memory grows with the longest input, and is never given back. */
interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly kernels: Readonly<Record<CpuSortName, Kernel>>;
}

let instance: Instance | undefined;

function instantiate(): Instance {
  const bytes = Uint8Array.from(atob(WASM), (character) => character.charCodeAt(0));
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 65_536 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  return { memory, kernels: exports as Instance['kernels'] };
}

const sortBy =
  (name: CpuSortName): CpuSort =>
  (keys) => {
    instance ??= instantiate();
    const { memory, kernels } = instance;
    // Whole vectors, filled with the greatest key, and whole cache lines.
    const count = 4 * Math.ceil(keys.length / 4);
    const other = KEYS_AT + 64 * Math.ceil((4 * count) / 64);
    const missing = Math.ceil((other + 4 * count - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    const words = new Uint32Array(memory.buffer);
    words.set(keys, KEYS_AT / 4);
    words.fill(0xffffffff, KEYS_AT / 4 + keys.length, KEYS_AT / 4 + count);
    // An address above 2 GiB comes back as a negative number.
    const sorted = ((kernels[name](KEYS_AT, other, count, COUNTERS_AT) ?? KEYS_AT) >>> 0) / 4;
    keys.set(words.subarray(sorted, sorted + keys.length));
  };

/** All of them by name. */
export const CPU_SORTS: Readonly<Record<CpuSortName, CpuSort>> = {
  plainRadix: sortBy('plainRadix'),
  bufferedRadix: sortBy('bufferedRadix'),
  mergeSort: sortBy('mergeSort'),
};
