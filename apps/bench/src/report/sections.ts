/** The sections that documents can have made from records, by name. */

import type { RegretRecord } from '../commands/regret.js';
import type { PlainResult } from '../measure/suite.js';
import type { BenchmarkRecord } from '../record/record.js';
import type { ExternalResult } from '../suites/external.js';
import type { FirstResult } from '../suites/first-sorts.js';
import type { GpuSortResult } from '../suites/gpu-sort.js';
import type { SubstituteResult } from '../suites/substitutes.js';
import type { TableFilesResult } from '../suites/table-files.js';
import { type CompareRecord, compareTable, gpuArraysTable, regretTable } from './choices.js';
import {
  type CpuRecord,
  cpuChart,
  cpuOrders,
  cpuTable,
  firstTable,
  namesTable,
  type ReferencesRecord,
  referencesTable,
  scalingChart,
  scalingTable,
  substitutesTable,
} from './cpu.js';
import { type EnginesRecord, enginesTable } from './engines.js';
import { type EverywhereRecord, everywhereTable } from './everywhere.js';
import { externalTable } from './external.js';
import { type Make, ofOne, type Source } from './markdown.js';
import { realKeysBrief, realKeysChart, realKeysSection, realKeysTables } from './real-keys.js';
import { rawFilesTable, tableFilesTable } from './table-files.js';

export const SECTIONS: Readonly<Record<string, Make>> = {
  'cpu-table': ofOne<CpuRecord>((source) => cpuTable(source, true)),
  'cpu-all': ofOne<CpuRecord>((source) => cpuTable(source, false)),
  'cpu-orders': ofOne<CpuRecord>(cpuOrders),
  'cpu-chart': ofOne<CpuRecord>((source, { chart }) =>
    chart('cpu', 'Rates of keysweep and the built-in sort over numbers of keys', cpuChart(source)),
  ),
  'first-table': ofOne<BenchmarkRecord<FirstResult>>(firstTable),
  'references-table': ofOne<ReferencesRecord>(referencesTable),
  'scaling-table': ofOne<ReferencesRecord>(scalingTable),
  'scaling-chart': ofOne<ReferencesRecord>((source, { chart }) =>
    chart('scaling', 'Rates over numbers of threads, on logarithmic axes', scalingChart(source)),
  ),
  'substitutes-table': ofOne<BenchmarkRecord<SubstituteResult>>(substitutesTable),
  'names-table': (sources: readonly Source<BenchmarkRecord<PlainResult>>[], context) =>
    namesTable(sources, context),
  'external-table': ofOne<BenchmarkRecord<ExternalResult>>(externalTable),
  'table-files': ofOne<BenchmarkRecord<TableFilesResult>>(tableFilesTable),
  'raw-files': ofOne<BenchmarkRecord<PlainResult>>(rawFilesTable),
  'regret-table': (sources: readonly Source<RegretRecord>[], context) =>
    regretTable(sources, context),
  engines: ofOne<EnginesRecord>(({ record }) => enginesTable(record)),
  everywhere: ofOne<EverywhereRecord>(({ record }) => everywhereTable(record)),
  'compare-table': ofOne<CompareRecord>(compareTable),
  'gpu-arrays': ofOne<BenchmarkRecord<GpuSortResult>>(gpuArraysTable),
  'gpu-keys': realKeysSection(realKeysTables),
  'gpu-keys-brief': realKeysSection(realKeysBrief),
  'gpu-chart': realKeysSection((record, { chart }) =>
    chart(
      'gpu-lengths',
      'Rates over numbers of records, on logarithmic axes',
      realKeysChart(record),
    ),
  ),
};
