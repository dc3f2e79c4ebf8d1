/**
 * Test files that share processes in `npm test`: to start one and load modules takes a fifth of a
 * second or more of each file otherwise.
 */

/** Test files of functions: they start nothing, and change nothing that another file sees. */
const FUNCTIONS = [
  'kernels/test/*.test.ts',
  'packages/arrow/test/*.test.ts',
  'packages/cluster/test/{active-jobs,checks,parent,roots}.test.ts',
  'packages/conformance/test/{data,statistics,verify}.test.ts',
  'packages/core/test/{commit,elements,merge,options,oracle,order-words,permutation}.test.ts',
  'packages/core/test/{random,range,request-lifecycle,request-queue,segments}.test.ts',
  'packages/core/test/transform.test.ts',
  'packages/cpu/test/{breakage,copy,layout,spelling,split}.test.ts',
  'packages/external/test/{check-file,manifest,memory,names,pieces,split}.test.ts',
  'packages/external/test/{process-options,storages,target}.test.ts',
  'packages/files/test/{arrow,column,csv-rows,csv-threads,csv-values,decisions}.test.ts',
  'packages/files/test/{decompress,dictionaries,distinct,encodings,footers}.test.ts',
  'packages/files/test/{hostile-parts,packed-rows,pages-by-hand,parquet,raw,rows}.test.ts',
  'packages/files/test/{sink,stored}.test.ts',
  'packages/keysweep/test/call/{arguments,memory-locks}.test.ts',
  'packages/keysweep/test/collation/comparing.test.ts',
  'packages/keysweep/test/documents/{batched-mesh,chart-recipes,documented-orders}.test.ts',
  'packages/keysweep/test/machine/runtime.test.ts',
  'packages/keysweep/test/plan/{costs,plan}.test.ts',
  'packages/keysweep/test/rows/precision.test.ts',
  'packages/keysweep/test/sorted/*.test.ts',
  'packages/keysweep/test/table/{packing,table-slices,text}.test.ts',
  'packages/webgl2/test/{network,words}.test.ts',
  'apps/bench/test/{gpu-definitions,gpu-inputs,gpu-kernels,report,runner,table}.test.ts',
  'apps/cli/test/{command-line,doctor,estimates,formats,perform,usage}.test.ts',
  'apps/compare/test/{measure,results,settings}.test.ts',
  'apps/docs/test/{codes,docstrings,names,tabs,types,versions}.test.ts',
  'apps/papers/test/{bench,cpu,plans,report}.test.ts',
  'tools/test/{counts-reporter,dependencies,random}.test.ts',
];

/**
 * Test files that end what they start, or have child processes start it. Files are not listed if
 * they measure the memory of their process, replace modules or globals, or test what a process does
 * first: these have a process of their own.
 */
const ENDING = [
  'packages/conformance/test/self.test.ts',
  'packages/cpu/test/{alike,commits,crew,decisions,extremes,plain,warm-up-requests}.test.ts',
  'packages/cpu/test/work-queue.test.ts',
  'packages/external/test/{given-back,killed,shown,sort-file,under-way}.test.ts',
  'packages/files/test/{csv,threads}.test.ts',
  'packages/keysweep/test/builtin/{builtin,first-sorts,in-order,nan-bits,packed-rows}.test.ts',
  'packages/keysweep/test/collation/spelling-threads.test.ts',
  'packages/keysweep/test/documents/{react-table,recipes}.test.ts',
  'packages/keysweep/test/failures/{failure,faults}.test.ts',
  'packages/keysweep/test/package/commonjs.test.ts',
  'packages/keysweep/test/pages/workers.test.ts',
  'packages/keysweep/test/plan/estimates.test.ts',
  'packages/keysweep/test/rows/sort-rows.test.ts',
  'packages/keysweep/test/run/{lifetime,sorter}.test.ts',
  'packages/keysweep/test/selection/candidates.test.ts',
  'packages/keysweep/test/sync/sync.test.ts',
  'packages/keysweep/test/table/{fields,in-turn,one-column,prepare,table}.test.ts',
  'apps/bench/test/{first-pages,real-keys,references,regret}.test.ts',
  'apps/cli/test/{arrow,closed-pipe,csv,first,large,neighbours,output,parquet}.test.ts',
  'apps/cli/test/{processes,raw,reports}.test.ts',
  'apps/compare/test/{answer,page-first,summary}.test.ts',
  'apps/docs/test/{code-blocks,tables}.test.ts',
  'apps/everywhere/test/toys.test.ts',
  'examples/{duckdb,node-service}/test/*.test.ts',
  'tools/test/{fast-equality,packages,records}.test.ts',
];

/** All of them. */
export const SHARED = [...FUNCTIONS, ...ENDING];
