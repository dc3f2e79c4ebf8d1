/**
 * Checks of sorts on the GPU, by the GPU: fast enough to check every sort, of any length, without
 * reading it back.
 */

import { BufferUsage, readBuffer } from '../device/buffers.js';
import { compileLoop, LEAD, partsOf } from '../device/compute.js';
import type { Recording } from '../device/task.js';
import { KEY_WORDS, type MeasuredType } from '../inputs/distributions.js';

/** Counters, all 0 when all went right; then the number of checks. */
const FAULTS = [
  'keys are out of order',
  'values have overtaken those of equal keys',
  'values are not those of their keys',
  'other keys, by one sum',
  'other keys, by another sum',
] as const;
const CHECKS_AT = FAULTS.length;

/** As far apart as bindings have to be. */
const STRIDE = 256;

/**
 * WGSL: two words, high one last, in whose order as an unsigned number the keys `key` are. Floats
 * are numbers, infinities among them; −0 comes before 0.
 */
const ORDERED: Readonly<Record<MeasuredType, string>> = {
  u32: 'key',
  f32: 'vec2u(select(key.x | 0x80000000u, ~key.x, key.x >= 0x80000000u), 0u)',
  u64: 'key',
  f64: 'select(vec2u(key.x, key.y | 0x80000000u), ~key, key.y >= 0x80000000u)',
};

const VALUES = '@group(0) @binding(3) var<storage, read> values: array<u32>;';

/** Records before and after the sort; before, every key had its index as a value. */
export interface SortedBuffers {
  readonly keyType: MeasuredType;
  readonly length: number;
  readonly before: GPUBuffer;
  readonly after: GPUBuffer;
  /** Afterwards. */
  readonly values: GPUBuffer | undefined;
}

/**
 * Checks of sorts, several kinds of which take turns. Of every key the neighbour is compared; pairs
 * are proved right, as key and index strictly ascend and every pair is the one that its index
 * points to. Of keys alone, two sums of hashes are as before; they may be longer than a binding
 * if they are of 32 bits.
 */
export class DeviceCheck {
  readonly #device: GPUDevice;
  readonly #counters: GPUBuffer;
  /** Of each kind, the check of every part. */
  readonly #checks: readonly (readonly Recording[])[];
  readonly #recorded: number[];

  constructor(device: GPUDevice, sorted: SortedBuffers, kinds: number) {
    this.#device = device;
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC;
    this.#counters = device.createBuffer({ size: STRIDE * kinds, usage });
    this.#checks = Array.from({ length: kinds }, (_, kind) =>
      compileCheck(device, sorted, {
        buffer: this.#counters,
        offset: STRIDE * kind,
        size: 4 * (CHECKS_AT + 1),
      }),
    );
    this.#recorded = this.#checks.map(() => 0);
  }

  /** Records a check of the sort that comes before it, which is to be submitted once. */
  check(kind: number, encoder: GPUCommandEncoder): void {
    for (const part of this.#checks[kind] ?? []) part(encoder);
    this.#recorded[kind] = (this.#recorded[kind] ?? 0) + 1;
  }

  /** What was wrong with any sort of each kind, if anything. */
  async faults(): Promise<(string | undefined)[]> {
    const words = new Uint32Array(await readBuffer(this.#device, this.#counters));
    return this.#recorded.map((expected, kind) => {
      const at = (STRIDE / 4) * kind;
      const checks = (words[at + CHECKS_AT] as number) / (this.#checks[kind] as []).length;
      if (checks !== expected) return `${expected} sorts, ${checks} checks`;
      return FAULTS.find((_, fault) => words[at + fault] !== 0);
    });
  }

  destroy(): void {
    this.#counters.destroy();
  }
}

function compileCheck(
  device: GPUDevice,
  { keyType, length, before, after, values }: SortedBuffers,
  counters: GPUBufferBinding,
): Recording[] {
  const words = KEY_WORDS[keyType];
  const keyOf = (array: string, at: string): string =>
    words === 1
      ? `vec2u(${array}[${at}], 0u)`
      : `vec2u(${array}[2u * (${at})], ${array}[2u * (${at}) + 1u])`;
  const pairs = `
    if (i > 0u && !less(previous, key) && values[i - 1u] >= values[i]) { faults[1]++; }
    let at = min(values[i], ${length - 1}u);
    if (at != values[i] || any(${keyOf('before', 'at')} != key)) { faults[2]++; }`;
  const keysAlone = `
    let old = ${keyOf('before', 'i')};
    faults[3] += hash(hash(old.x) + old.y) - hash(hash(key.x) + key.y);
    faults[4] += hash(hash(old.x ^ 0x9e3779b9u) - old.y)
      - hash(hash(key.x ^ 0x9e3779b9u) - key.y);`;
  return partsOf(device, words * length).map(({ start, count }) => {
    // With the neighbour of its first key.
    const lead = start === 0 ? 0 : LEAD;
    const bound = { offset: 4 * (start - lead), size: 4 * (lead + count) };
    const first = lead / words;
    return compileLoop(device, {
      declarations: `
        @group(0) @binding(0) var<storage, read> before: array<u32>;
        @group(0) @binding(1) var<storage, read> after: array<u32>;
        @group(0) @binding(2)
        var<storage, read_write> counters: array<atomic<u32>, ${CHECKS_AT + 1}>;
        ${values === undefined ? '' : VALUES}
        fn ordered(key: vec2u) -> vec2u { return ${ORDERED[keyType]}; }
        fn less(one: vec2u, other: vec2u) -> bool {
          let a = ordered(one);
          let b = ordered(other);
          return a.y < b.y || (a.y == b.y && a.x < b.x);
        }`,
      before: `var faults: array<u32, ${FAULTS.length}>;`,
      each: `
        let number = i;
        {
          let i = ${first}u + number;
          let key = ${keyOf('after', 'i')};
          let previous = ${keyOf('after', 'max(i, 1u) - 1u')};
          if (less(key, previous)) { faults[0]++; }
          ${values === undefined ? keysAlone : pairs}
        }`,
      after: `
        for (var fault = 0u; fault < ${FAULTS.length}u; fault++) {
          if (faults[fault] != 0u) { atomicAdd(&counters[fault], faults[fault]); }
        }
        if (invocation.x == 0u) { atomicAdd(&counters[${CHECKS_AT}], 1u); }`,
      count: count / words,
      resources: [
        { buffer: before, ...bound },
        { buffer: after, ...bound },
        counters,
        ...(values === undefined ? [] : [{ buffer: values }]),
      ],
    });
  });
}
