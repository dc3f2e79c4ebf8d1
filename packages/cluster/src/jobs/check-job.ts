/**
 * Checks the data of jobs. It comes from the store, and whoever can write to the store can put
 * anything there. So it's checked as arguments are, and only the fields that are known are copied.
 */

import { totalmem } from 'node:os';
import { isAbsolute } from 'node:path';
import {
  checkLayout,
  describe,
  type Layout,
  leastMemory,
  MAX_PARTS,
  wholeNumber,
} from '@keysweep/external/internal';
import { isAddress } from '@keysweep/external/storage';
import type { BackoffOptions, JobsOptions } from 'bullmq';
import { jobsOf } from './division.js';
import { given, listOf, MAX_COUNT } from './fields.js';
import {
  BACKOFF,
  type ChildData,
  childrenOf,
  LONGEST_NAME,
  MAX_ATTEMPTS,
  MAX_FILES,
  type ParentData,
  type SortSpec,
  type Stage,
} from './jobs.js';
import { isFolder, isObjectIn, type ObjectKind } from './names.js';
import { checked } from './refused.js';

/** Text that is no longer than a name, because errors repeat it. */
function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw new TypeError(`${name} must be text, got ${describe(value)}`);
  if (value.length <= LONGEST_NAME) return value;
  throw new RangeError(`${name} must have at most ${LONGEST_NAME} characters, got ${value.length}`);
}

/** A name that all machines understand. Whether it may be used is for the roots of a worker. */
function checkName(name: string, value: unknown): string {
  const text = checkText(name, value);
  if (isAddress(text) || isAbsolute(text)) return text;
  throw new TypeError(`${name} must be an absolute path or an address, got ${describe(text)}`);
}

function checkFiles(name: string, value: unknown): readonly string[] {
  const count = Array.isArray(value) ? value.length : 0;
  if (count <= MAX_FILES) return listOf(name, value, checkName);
  throw new RangeError(`${name} must name at most ${MAX_FILES} files, got ${count}`);
}

/** The data of the job of a whole sort. @throws Refused */
export const checkParent = (data: unknown): ParentData =>
  checked('the job of a sort', () => {
    const { spec, cancelled } = given<ParentData>('data', data, ['spec', 'cancelled']);
    if (cancelled !== undefined && typeof cancelled !== 'boolean') {
      throw new TypeError('data.cancelled must be true or false');
    }
    return { spec: checkSpec(spec), ...(cancelled !== undefined && { cancelled }) };
  });

const SPEC: readonly (keyof SortSpec)[] = [
  'input',
  'versions',
  'size',
  'output',
  'layout',
  'memory',
  'parts',
  'pieces',
  'pieceRecords',
  'attempts',
  'folder',
];

function checkSpec(value: unknown): SortSpec {
  const spec = given<SortSpec>('spec', value, SPEC);
  const layout = checkStoredLayout(spec.layout);
  const input = checkFiles('spec.input', spec.input);
  const versions = listOf('spec.versions', spec.versions, checkText);
  if (input.length === 0 || versions.length !== input.length) {
    throw new RangeError('spec.input must name at least one file, and each must have a version');
  }
  const size = wholeNumber('spec.size', spec.size, 0, MAX_COUNT);
  if (size % layout.width !== 0) {
    throw new RangeError(`spec.size must be a multiple of ${layout.width}, got ${size}`);
  }
  const least = leastMemory(layout.width);
  // More than the machine, or its container, has would end the worker, and not only the job.
  const most = Math.min(totalmem(), process.constrainedMemory?.() || totalmem());
  const memory = wholeNumber('spec.memory', spec.memory, least, Math.max(least, most));
  const parts = wholeNumber('spec.parts', spec.parts, 1, MAX_PARTS);
  const jobs = jobsOf(size, layout, memory, parts);
  for (const name of ['parts', 'pieces', 'pieceRecords'] as const) {
    const number = wholeNumber(`spec.${name}`, spec[name], 0, MAX_COUNT);
    if (number === jobs[name]) continue;
    throw new RangeError(`spec.${name} must be ${jobs[name]} for such an input, got ${number}`);
  }
  const folder = checkName('spec.folder', spec.folder);
  if (!isFolder(folder)) {
    throw new TypeError(
      `spec.folder must be called .keysweep-cluster-….tmp, got ${describe(folder)}`,
    );
  }
  const output = checkName('spec.output', spec.output);
  const attempts = wholeNumber('spec.attempts', spec.attempts, 1, MAX_ATTEMPTS);
  return { input, versions, size, output, layout, memory, ...jobs, attempts, folder };
}

/** A layout as it is stored: the key of bare numbers is stored, too. */
function checkStoredLayout(value: unknown): Layout {
  const stored = given<Layout>('spec.layout', value, ['width', 'keys', 'numbers']);
  const keys = listOf('spec.layout.keys', stored.keys, (name, key) =>
    given<Layout['keys'][number]>(name, key, ['at', 'bytes', 'type', 'order']),
  );
  // Keys by type are said without their bytes by callers, whose check says the bytes.
  const asGiven = keys.map(({ type, bytes, ...key }) => ({
    ...key,
    ...(type === undefined ? { bytes } : { type }),
  }));
  const [first] = keys;
  const layout =
    stored.numbers === undefined
      ? checkLayout({ record: { bytes: stored.width, keys: asGiven } as never }, 'ascending')
      : checkLayout({ type: stored.numbers as never }, first?.order as never);
  const isSame =
    stored.width === layout.width &&
    keys.length === layout.keys.length &&
    layout.keys.every((key, i) => {
      const { at, bytes, type, order } = keys[i] as (typeof keys)[number];
      return at === key.at && bytes === key.bytes && type === key.type && order === key.order;
    });
  if (isSame && layout.keys.every(({ order }) => order === 'ascending' || order === 'descending')) {
    return layout;
  }
  throw new TypeError('spec.layout must be that of a type or of records, each key with its bytes');
}

/**
 * How a job is tried again, which the store does as the job says. One that came back at once and
 * in front of all others, for ever, would keep a worker from everything else.
 * @throws Refused
 */
export const checkRetries = ({ attempts, backoff, lifo }: JobsOptions): void =>
  checked('a job', () => {
    wholeNumber('its attempts', attempts ?? 0, 0, MAX_ATTEMPTS);
    if (lifo) throw new TypeError('it must not go in front of others');
    if (backoff === undefined) return;
    const { type, delay } = given<BackoffOptions>('its backoff', backoff, ['type', 'delay']);
    if (type !== BACKOFF.type) throw new TypeError(`its backoff must be ${BACKOFF.type}`);
    wholeNumber('its delay', delay, 0, BACKOFF.delay);
  });

/** The sort that a job belongs to. @throws Refused */
export const checkParentId = (data: unknown): string =>
  checked('a job', () => {
    const { parent } = given<ChildData>('data', data, ['parent', 'index', 'from']);
    if (typeof parent === 'string' && /^[0-9a-f-]{36}$/.test(parent)) return parent;
    throw new TypeError('data.parent must be the id of a sort');
  });

const STAGES: readonly Stage[] = ['sample', 'partition', 'sort'];

/** The stage of a job by its name. @throws Refused for other names */
export const checkStage = (name: unknown): Stage =>
  checked('a job', () => {
    const stage = STAGES.find((one) => one === name);
    if (stage !== undefined) return stage;
    throw new TypeError(`its name must be one of ${STAGES.join(', ')}, got ${describe(name)}`);
  });

/** The data of a job of a stage. @throws Refused */
export const checkChild = (stage: Stage, data: unknown, spec: SortSpec): ChildData =>
  checked(`a job of ${stage}`, () => {
    const { index, from } = given<ChildData>('data', data, ['parent', 'index', 'from']);
    const count = childrenOf(spec)[stage];
    if (count === 0) throw new RangeError('this sort has no jobs of that stage');
    return {
      parent: checkParentId(data),
      index: wholeNumber('data.index', index, 0, count - 1),
      from: checkFrom(stage, from, spec),
    };
  });

/** What the stage before gave, if it gave something. */
function checkFrom(stage: Stage, from: unknown, spec: SortSpec): string | undefined {
  const kinds = { sample: undefined, partition: 'sample-0', sort: 'shuffle' } as const;
  const kind = spec.parts === 1 ? undefined : kinds[stage];
  if (kind !== undefined) return checkObject('data.from', from, spec, kind);
  // PostgreSQL and Redis leave out undefined values.
  if (from === undefined) return undefined;
  throw new TypeError('data.from must be left out');
}

/** The name of an object in the shared folder of a sort. @throws TypeError */
export function checkObject(name: string, path: unknown, spec: SortSpec, kind: ObjectKind): string {
  if (typeof path === 'string' && isObjectIn(path, spec.folder, kind)) return path;
  throw new TypeError(`${name} must be ${kind}.… in '${spec.folder}', got ${describe(path)}`);
}
