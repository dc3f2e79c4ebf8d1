/** Results from outside, checked: a link may hold anything, and so may a browser's storage. */

import type { Facts } from '../device/facts.js';
import type { Choice } from '../run/estimates.js';
import type { Cell } from '../run/events.js';
import { MAX_LENGTH, MAX_SAMPLES, SERIES, settingsFrom } from '../settings/settings.js';
import type { Results } from './record.js';

type Loose = Readonly<Record<string, unknown>>;

const MAX_CELLS = 500;
/** Characters of a name or a sentence. */
const MAX_TEXT = 2000;

const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null;
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT;
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isLength = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_LENGTH;
const isListOf = <T>(
  value: unknown,
  isGood: (item: unknown) => item is T,
  most: number,
): value is T[] => Array.isArray(value) && value.length <= most && value.every(isGood);
/** Absent, or as `isGood` says. */
const maybe = (value: unknown, isGood: (value: unknown) => boolean): boolean =>
  value === undefined || isGood(value);
const isTimes = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(isNumber);

const isCell = (value: unknown): value is Cell =>
  isObject(value) &&
  (SERIES as readonly unknown[]).includes(value.series) &&
  isLength(value.length) &&
  isFlag(value.software) &&
  isListOf(value.samples, isNumber, MAX_SAMPLES) &&
  value.samples.every((sample) => sample > 0) &&
  isNumber(value.calls) &&
  (value.clock === 'host' || value.clock === 'gpu') &&
  isNumber(value.verified) &&
  maybe(value.phases, isTimes) &&
  maybe(value.gpuMilliseconds, isNumber) &&
  maybe(value.predicted, isNumber) &&
  maybe(value.threads, isNumber) &&
  maybe(value.backend, isText) &&
  maybe(value.fault, isText) &&
  maybe(value.error, isText) &&
  maybe(value.skipped, isFlag);

const isChoice = (value: unknown): value is Choice =>
  isObject(value) &&
  isLength(value.length) &&
  isText(value.backend) &&
  isText(value.reason) &&
  isText(value.profile);

const isProbe = (value: unknown): boolean =>
  isObject(value) &&
  (value.available === true
    ? isObject(value.capabilities) &&
      isText(value.capabilities.description) &&
      isFlag(value.capabilities.software)
    : isText(value.reason));

const isFacts = (value: unknown): value is Facts =>
  isObject(value) &&
  isText(value.browser) &&
  isFlag(value.isolated) &&
  isNumber(value.threads) &&
  isObject(value.probes) &&
  Object.values(value.probes).every((probe) => maybe(probe, isProbe));

/** Results that hold what results hold, or undefined. */
export function resultsFrom(value: unknown): Results | undefined {
  if (!isObject(value)) return undefined;
  const { date, settings, facts, cells, choices, whole } = value;
  const isGood =
    isText(date) &&
    !Number.isNaN(Date.parse(date)) &&
    isObject(settings) &&
    isFacts(facts) &&
    isListOf(cells, isCell, MAX_CELLS) &&
    isListOf(choices, isChoice, MAX_CELLS) &&
    isFlag(whole);
  return isGood
    ? { date, settings: settingsFrom(settings), facts, cells, choices, whole }
    : undefined;
}
