/** Faults of packages/webgpu: see tools/run-mutations.mjs. */

const SRC = 'packages/webgpu/src';
const TEST = 'packages/webgpu/test';

export default [
  {
    name: 'buffers of a failed sort are not destroyed',
    file: `${SRC}/transfer/execute.ts`,
    before: '    leases.destroy();\n',
    after: '',
    tests: [`${TEST}/transfer.test.ts`, `${TEST}/memory.test.ts`],
  },
  {
    name: 'buffers of a sort are not given back to the pool',
    file: `${SRC}/transfer/execute.ts`,
    before: '    leases.returnAll();\n',
    after: '',
    tests: [`${TEST}/transfer.test.ts`, `${TEST}/lifetime.test.ts`],
  },
  {
    name: 'an array that was detached during an upload is read',
    file: `${SRC}/transfer/upload.ts`,
    before: '      this.#lifecycle.goOn();\n',
    after: '      void this.#lifecycle;\n',
    tests: [`${TEST}/transfer.test.ts`],
  },
  {
    name: 'the pieces of an upload begin a piece too late',
    file: `${SRC}/transfer/upload.ts`,
    before: 'words.fill(range, offset / 4);',
    after: 'words.fill(range, (offset + size) / 4);',
    tests: [`${TEST}/transfer.test.ts`],
  },
  {
    name: 'resizable memory is handed to a browser',
    file: `${SRC}/transfer/upload.ts`,
    before:
      'if (bits instanceof Uint32Array && buffer instanceof ArrayBuffer && !buffer.resizable) {',
    after: 'if (bits instanceof Uint32Array && buffer instanceof ArrayBuffer) {',
    tests: [`${TEST}/conformance.browser.test.ts`],
  },
  {
    name: 'a pool destroys the newest of what is too much',
    file: `${SRC}/transfer/pool.ts`,
    before: 'this.#entries.splice(this.#entries.findIndex(alike), 1) as [Entry];',
    after: 'this.#entries.splice(this.#entries.findLastIndex(alike), 1) as [Entry];',
    tests: [`${TEST}/lifetime.test.ts`],
  },
  {
    name: 'a pool counts memory of the host as that of the GPU',
    file: `${SRC}/transfer/pool.ts`,
    before: 'const most = isStaging ? this.#maxStagingBytes : this.#maxBytes;',
    after: 'const most = isStaging ? this.#maxBytes : this.#maxBytes + 0 * this.#maxStagingBytes;',
    tests: [`${TEST}/lifetime.test.ts`],
  },
  {
    name: 'the second word of a 64-bit key comes first in a uniform',
    file: `${SRC}/sorter/uniforms.ts`,
    before: 'view.setBigUint64(fields[name as keyof typeof wide], value, true);',
    after:
      'view.setBigUint64(fields[name as keyof typeof wide], (value << 32n) | (value >> 32n), true);',
    tests: [`${TEST}/radix-sorter.test.ts`],
  },
  {
    name: 'descending NaNs are clamped to the wrong end',
    file: `${SRC}/sorter/uniforms.ts`,
    before: "order === 'descending' ? [all, all ^ ceiling, all] : [0n, 0n, ceiling];",
    after: "order === 'descending' ? [all, 0n, all] : [0n, 0n, ceiling];",
    tests: [`${TEST}/conformance.test.ts`],
  },
  {
    name: 'counts from 2^24 on lose their highest byte',
    file: `${SRC}/sorter/uniforms.ts`,
    before: '(count >>> 16) & 255, count >>> 24, offset]',
    after: '(count >>> 16) & 255, 0, offset]',
    tests: [`${TEST}/uniforms.test.ts`],
  },
  {
    name: 'segments of several groups overlap by a key',
    file: `${SRC}/sorter/workgroup-sort.ts`,
    before: 'if (end - first > tile) {',
    after: 'if (end - first > tile + 1) {',
    tests: [`${TEST}/stages.test.ts`, `${TEST}/conformance.test.ts`],
  },
  {
    name: 'segment groups beyond 65,535 are left out',
    file: `${SRC}/sorter/workgroup-sort.ts`,
    before: 'pass.dispatchWorkgroups(Math.ceil(groupCount / rows), rows);',
    after: 'pass.dispatchWorkgroups(Math.min(groupCount, MAX_WORKGROUPS), Math.min(rows, 1));',
    tests: [`${TEST}/segment-dispatch.test.ts`],
  },
  {
    name: 'bind groups of other buffers are used again',
    file: `${SRC}/sorter/radix-sorter.ts`,
    before: 'if (last?.identity.every((part, i) => part === identity[i])) return last;',
    after: 'if (last?.identity.every((part, i) => i > 0 || part === identity[i])) return last;',
    tests: [`${TEST}/radix-sorter.test.ts`],
  },
  {
    name: 'a sorter keeps its memory when it is destroyed',
    file: `${SRC}/sorter/radix-sorter.ts`,
    before: '    this.#deviceSort?.destroy();\n',
    after: '',
    tests: [`${TEST}/radix-sorter.test.ts`, `${TEST}/lifetime.test.ts`],
  },
  {
    name: 'rows of the second part are numbered as those of the first',
    file: `${SRC}/transfer/request.ts`,
    before: 'permutation[at + i] = start + (rows[i] as number);',
    after: 'permutation[at + i] = rows[i] as number;',
    tests: [`${TEST}/chunks.test.ts`],
  },
  {
    name: 'an abort is not heard while parts are merged',
    file: `${SRC}/transfer/request.ts`,
    before: "    lifecycle.enter('readback');\n",
    after: '    void lifecycle;\n',
    tests: [`${TEST}/chunks.test.ts`],
  },
  {
    name: 'a sort without memory is not tried in smaller parts',
    file: `${SRC}/transfer/request.ts`,
    before: 'if (!(error instanceof OutOfMemoryError)) throw error;',
    after: 'if (!(error instanceof OutOfMemoryError && poolHasMemory)) throw error;',
    tests: [`${TEST}/memory.test.ts`],
  },
  {
    name: 'a lost device is used again',
    file: `${SRC}/backend.ts`,
    before: '    if (this.#session?.lost !== undefined) this.#session = undefined;\n',
    after: '',
    tests: [`${TEST}/gpu.test.ts`, `${TEST}/failure.test.ts`],
  },
  {
    name: 'a closed backend keeps its device',
    file: `${SRC}/backend.ts`,
    before: '      await this.#session?.close();\n      this.#session = undefined;',
    after: '      this.#session = undefined;',
    tests: [`${TEST}/lifetime.test.ts`],
  },
];
