/** The page on the GPU benchmark, out of a record: Markdown, and the charts that it shows. */

import { plotDistributions, plotLengths } from './plots.js';
import { type BenchRecord, distributionPoints, lengthPoints } from './rates.js';
import { distributionTable, kernelTables, lengthTable } from './tables.js';

/** A file, by its name. */
export interface PageFile {
  readonly name: string;
  readonly text: string;
}

/** The page, and the images beside it. `source` is the record, as a link from the page. */
export function pageOf(record: BenchRecord, source: string): PageFile[] {
  const lengths = lengthPoints(record);
  const distributions = distributionPoints(record);
  const images: PageFile[] = [
    { name: 'gpu-lengths.svg', text: plotLengths(lengths) },
    ...(distributions.length === 0
      ? []
      : [{ name: 'gpu-distributions.svg', text: plotDistributions(distributions) }]),
  ];
  const sections = [
    '# RadixSorter on a GPU',
    `<!-- Made by npm run plot:gpu. -->`,
    aboutRun(record, source),
    '## Random keys, by length',
    '![Rates over numbers of records, on logarithmic axes](gpu-lengths.svg)',
    lengthTable(record),
    ...aboutDistributions(record),
    ...aboutKernels(record),
    '## What this does not say',
    caveats(record),
    '## Again',
    again(record),
  ];
  return [{ name: 'gpu.md', text: `${sections.join('\n\n')}\n` }, ...images];
}

function aboutRun(
  { gpu, machine, date, results, reference = [] }: BenchRecord,
  source: string,
): string {
  const name = [gpu.vendor, gpu.device].filter(Boolean).join(' ');
  const features = gpu.features.filter((feature) => feature !== 'core-features-and-limits');
  const isByGpu = results.every(({ clock }) => clock === 'gpu');
  const failed = results.filter(({ verified }) => !verified).length;
  const others = [...new Set(reference.map((time) => time.name.toUpperCase()))];
  return [
    `${name}${gpu.software ? ' (SOFTWARE: these times say nothing of any GPU)' : ''}, ${gpu.driver}; ` +
      `Dawn in Node ${machine.node} on ${machine.os}. Features of the device: ${features.join(', ') || 'none'}. ` +
      `${date.slice(0, 10)}, [raw samples](${source}).`,
    `Times are medians of one sort of records in GPU buffers, in place, ${
      isByGpu
        ? 'between two timestamps of the GPU’s'
        : 'as differences between batches with and without sorts on the host’s clock'
    }; the keys are fresh each time, and the GPU is kept busy for 0.4 s before, for one that idles drops its clocks. ` +
      (failed === 0
        ? 'Every result was verified: in order, the same records as before, pairs stable.'
        : `**${failed} of ${results.length} results were wrong.**`),
    ...(others.length === 0
      ? []
      : [
          `${others.join(', ')} is what the GPU’s vendor offers its own programs: random keys, on the same GPU, in a program of its own.`,
        ]),
  ].join('\n\n');
}

function aboutDistributions(record: BenchRecord): string[] {
  const rows = distributionTable(record);
  if (rows === undefined) return [];
  return [
    '## Other keys',
    '![Rates by distribution of the keys](gpu-distributions.svg)',
    'Entropy is in bits per bit of a key: the bitwise and of two, three, four and five random words, and zeros (Merrill ' +
      'and Grimshaw, “Revisiting sorting for GPGPU stream architectures”); random keys have 1. Of few keys there are 16. ' +
      'Bits that all keys share are not sorted on, so that equal keys are only read; their bars are cut.',
    rows,
  ];
}

function aboutKernels(record: BenchRecord): string[] {
  const tables = kernelTables(record);
  if (tables === undefined || record.copyRate === undefined) return [];
  const rate = (record.copyRate / 1e9).toFixed(2);
  return [
    '## Kernel by kernel',
    `The floor is the time to move what a kernel has to read and write, at the rate of a copying kernel in the same run: ` +
      `${rate} TB/s. Each dispatch is in a pass of its own here, so that the sum is more than a whole sort.`,
    tables,
  ];
}

function caveats({ reference = [], gpu }: BenchRecord): string {
  const features = gpu.features.includes('subgroups') ? 'with subgroups' : 'without subgroups';
  const lines = [
    `One GPU, one driver, one implementation of WebGPU (Dawn), ${features}. On others, and in a browser, ratios are different.`,
    'We chose what is measured, and we wrote what is measured. The sort was tuned on an H200, with keys such as these.',
    'The data is on the GPU already. Getting an array there and back takes longer than the sort: `bench sort` measures that.',
    'The GPU’s time alone, on a warm GPU that does nothing else. `latency` in the record is what a program waits for; of ' +
      'short sorts it is many times as long. Compiling and allocating are not in it either.',
    'Random keys are those of our generator (a hash of the index), and uniform. Real keys are neither; the other distributions are synthetic, too.',
    'Lengths are powers of two, order is ascending, payloads are 32-bit indices. No segments, no counts from the GPU.',
    'Medians hide the slow ones. All samples are in the record.',
    ...(reference.length === 0
      ? []
      : [
          'The comparison is not one of equals: the other program sorts from one buffer to another with memory of its own ' +
            'choice, sorts the same keys each time, and is timed by events of its own interface, in a run of its own.',
        ]),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function again({ reference = [] }: BenchRecord): string {
  const compared = reference.length === 0 ? '' : ' --reference cub.txt';
  return [
    '```sh',
    'npm run bundle:gpu',
    `node apps/bench/dist/keysweep-gpu.mjs check`,
    `node apps/bench/dist/keysweep-gpu.mjs bench --set full --kernels${compared} --json record.json`,
    'npm run plot:gpu -- record.json',
    '```',
  ].join('\n');
}
