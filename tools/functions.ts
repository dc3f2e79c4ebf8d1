/**
 * Test files of functions: they start nothing, and change nothing that another file sees. In
 * `npm test` they share a process, of which each would else take a fifth of a second to start.
 */
export const FUNCTIONS = [
  'kernels/test/*.test.ts',
  'packages/arrow/test/*.test.ts',
  'packages/cluster/test/{checks,roots}.test.ts',
  'packages/conformance/test/{data,statistics,verify}.test.ts',
  'packages/core/test/{commit,oracle,order-words,permutation,random,range,request-queue}.test.ts',
  'packages/core/test/{segments,transform}.test.ts',
  'packages/cpu/test/{breakage,copy,layout,spelling,split}.test.ts',
  'packages/external/test/{check-file,manifest,memory,names,pieces,split}.test.ts',
  'packages/external/test/{storages,target}.test.ts',
  'packages/files/test/{arrow,column,csv-rows,csv-threads,csv-values,decisions}.test.ts',
  'packages/files/test/{decompress,dictionaries,distinct,encodings,footers}.test.ts',
  'packages/files/test/{hostile-parts,packed-rows,pages-by-hand,parquet,raw,rows}.test.ts',
  'packages/files/test/stored.test.ts',
  'packages/keysweep/test/{arguments,batched-mesh,chart-recipes,comparing,costs}.test.ts',
  'packages/keysweep/test/{documented-orders,group-by,memory-locks,numpy,packing,plan}.test.ts',
  'packages/keysweep/test/{precision,runtime,search,sorted,sorted-calls,table-slices,text}.test.ts',
  'packages/webgl2/test/{network,words}.test.ts',
  'apps/bench/test/{gpu-definitions,gpu-inputs,gpu-kernels,report,runner,table}.test.ts',
  'apps/cli/test/{command-line,doctor,estimates,formats,perform,usage}.test.ts',
  'apps/compare/test/{measure,results,settings}.test.ts',
  'apps/docs/test/{codes,docstrings,names,tabs,types,versions}.test.ts',
  'apps/papers/test/{bench,cpu,plans,report}.test.ts',
  'tools/test/dependencies.test.ts',
];
