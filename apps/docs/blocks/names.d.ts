// biome-ignore-all lint/suspicious/noExplicitAny: what they are differs from block to block.

/** The names that blocks of code on the pages use without declaring them: see run-blocks.mjs. */

declare global {
  var sort: typeof import('keysweep').sort;
  var toSorted: typeof import('keysweep').toSorted;
  var sortPairs: typeof import('keysweep').sortPairs;
  var argsort: typeof import('keysweep').argsort;
  var topK: typeof import('keysweep').topK;
  var select: typeof import('keysweep').select;
  var gather: typeof import('keysweep').gather;
  var createSorter: typeof import('keysweep').createSorter;
  var builtin: typeof import('keysweep').builtin;
  var argsortSync: typeof import('keysweep/sync').argsortSync;
  var cpu: typeof import('@keysweep/cpu').cpu;
  var RadixSorter: typeof import('@keysweep/webgpu').RadixSorter;
  var openTable: typeof import('@keysweep/files').openTable;
  var writeTable: typeof import('@keysweep/files').writeTable;

  // Arrays, or buffers of a GPU.
  var keys: any;
  var values: any;
  var depths: any;
  var indices: any;
  // A sorter of arrays, or of buffers.
  var sorter: any;

  var ids: Uint32Array;
  var points: Float32Array;
  var colors: Float32Array;
  var xs: Float32Array;
  var quads: Float32Array;
  var order: Uint32Array;
  var visible: Uint32Array;
  var day: Int32Array;
  var delay: Int16Array;
  var bitmap: Uint8Array;
  var offsets: Int32Array;
  var bytes: Uint8Array;
  var table: any;
  var telemetry: { send(code: string, message: string): void };

  // Of blocks that are not run.
  var device: GPUDevice;
  // Its features are strings, and the names of features are a type of their own.
  var adapter: any;
  var encoder: GPUCommandEncoder;
  var buffer: GPUBuffer;
  var places: GPUBuffer;
  var signal: AbortSignal;
  var count: number;
  var mesh: any;
  var sortByDepth: any;
  var keysOf: any;
  var sortBy: any;
  var datasourceOf: any;
  var flights: any[];
  var people: any[];
  var source: any;
  var sink: any;
  var postToOneOfMyThreads: any;
}

export {};
