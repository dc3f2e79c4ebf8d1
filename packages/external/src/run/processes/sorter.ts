/** What sorts in a process that has a GPU, or some threads of the CPU, for itself. */

import type { Sorter } from 'keysweep';
import { ExternalError } from '../../error.js';
import type { SortProcess } from '../../options.js';

/** What a sort of files needs of a sorter, and what ends it. */
export type ProcessSorter = Pick<Sorter, 'sort' | 'argsort' | 'gather' | 'close'>;

/**
 * A sorter for `sortFile` or `runWorker` in a process of its own: with `gpu` on the GPU that the
 * process finds first and on nothing else, so start it as `aloneWithGpu` says; without on `threads`
 * of the CPU, all of them by default. Close it at the end.
 *
 * ```ts
 * const sorter = await processSorter({ gpu: 1 });
 * await runWorker('redis://127.0.0.1:6379', { sorter });
 * ```
 * @throws ExternalError where the GPU cannot sort
 */
export async function processSorter({ gpu, threads }: SortProcess): Promise<ProcessSorter> {
  const { builtin, createSorter } = await import('keysweep');
  const { cpu } = await import('@keysweep/cpu');
  const onCpu = [cpu(threads === undefined ? {} : { threads }), builtin()];
  if (gpu === undefined) return createSorter({ backends: onCpu });
  const { webgpu } = await import('@keysweep/webgpu');
  const sorter = await createSorter({ backends: [webgpu(), ...onCpu] });
  const backend = 'webgpu' as const;
  try {
    await sorter.sort(Uint32Array.of(1, 0), { backend });
  } catch (cause) {
    await sorter.close();
    throw new ExternalError(`GPU ${gpu} cannot sort: ${(cause as Error).message}`, { cause });
  }
  return {
    sort: (keys, options) => sorter.sort(keys, { ...options, backend }),
    argsort: (keys, options) => sorter.argsort(keys, { ...options, backend }),
    gather: (source, order, options) => sorter.gather(source, order, options),
    close: () => sorter.close(),
  };
}
