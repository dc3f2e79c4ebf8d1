/** The document whose tables and charts `npm run report` makes from records. */

import type { BenchmarkRecord } from '@keysweep/bench/record/record.js';
import type { RecordedTiming } from '@keysweep/bench/references/comparison.js';
import type { Book } from '@keysweep/bench/report/documents.js';
import { ofOne } from '@keysweep/bench/report/markdown.js';
import type { PaperResult } from '../bench/measure.js';
import {
  papersCheck,
  papersClaims,
  papersCpuWork,
  papersIdeas,
  papersOnCpu,
  papersOnCpuChart,
  papersOnGpu,
  papersOnGpuChart,
  papersWork,
} from './tables.js';

const book: Book = {
  documents: ['apps/papers/README.md'],
  records: 'apps/papers/records',
  charts: 'apps/papers/charts',
  sections: {
    'papers-cpu': ofOne(papersOnCpu),
    'papers-cpu-work': ofOne(papersCpuWork),
    'papers-ideas': ofOne(papersIdeas),
    'papers-work': ofOne(papersWork),
    'papers-check': ofOne(papersCheck),
    'papers-claims': ofOne(papersClaims),
    'papers-gpu': ofOne(papersOnGpu),
    'papers-cpu-chart': ofOne<BenchmarkRecord<RecordedTiming>>((source, { chart }) =>
      chart('papers-cpu', 'Rates of the papers’ sorts on one thread', papersOnCpuChart(source)),
    ),
    'papers-gpu-chart': ofOne<BenchmarkRecord<PaperResult>>((source, { chart }) =>
      chart('papers-gpu', 'Rates of the papers’ sorts on a GPU', papersOnGpuChart(source)),
    ),
  },
};

export default book;
