/**
 * Which backend serves a request, and why: a pure function of the request's shape and of what is
 * known of each backend.
 */

import {
  type Backend,
  type BackendName,
  KEY_TYPES,
  type KeyBits,
  type KeyType,
  type Operation,
  type Order,
  type Probe,
  type RequestShape,
} from '@keysweep/core';
import { describe } from '../request/describe.js';
import { type Estimate, warmMilliseconds } from './cost.js';
import { bytesFor } from './memory.js';

/** A request as `Sorter.plan` takes it: described, without data. */
export interface PlanRequest {
  /** Default 'sort'. */
  operation?: Operation;
  /** One key type, or one a column for argsort. */
  keyType: KeyType | readonly KeyType[];
  /** Bytes of a value for 'sortPairs', default 4. */
  valueBytes?: 1 | 2 | 4 | 8;
  /** Number of keys. */
  length: number;
  order?: Order;
  /** Default 1: an undivided array. */
  segmentCount?: number;
  keyBits?: KeyBits;
  approximate?: boolean;
  /** Default 'auto'. */
  backend?: BackendName | 'auto';
}

/** A backend in the place that it has in a plan. */
export interface PlanStep {
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /** What the whole call is expected to take now, in milliseconds, with what would have to be started. */
  readonly milliseconds: number;
}

/** A backend that is not in a plan. */
export interface Refusal {
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /** What the call would take, where that is known. */
  readonly milliseconds?: number;
}

/** Which figures a plan goes by. */
export interface ProfileNote {
  /** "built-in", or when it was measured. */
  readonly name: string;
  /** Why these and no others. */
  readonly reason: string;
}

/** The backends that would be tried in this order, and those that would not be. */
export interface Plan {
  /** The first serves the request; the next takes over where one fails. */
  readonly steps: readonly PlanStep[];
  readonly refused: readonly Refusal[];
  readonly profile: ProfileNote;
}

/** What the planner looks at in a backend. */
export interface Candidate {
  readonly backend: Pick<Backend, 'name' | 'maxLength'>;
  /** undefined until it has been asked. */
  readonly probe: Probe | undefined;
  readonly estimate: Estimate;
  /** Milliseconds of its start that the request would have to bear. */
  readonly startUp: number;
  /** Milliseconds that it still rests after `failure`; 0 if it does not. */
  readonly restsFor: number;
  readonly failure: string | undefined;
  /** Bytes that it has kept from earlier requests. */
  readonly heldBytes: number;
}

/** What a plan depends on besides the request and the backends. */
export interface Conditions {
  readonly profile: ProfileNote;
  /** Whether a software adapter counts as a GPU. */
  readonly allowSoftware: boolean;
  /** Bytes of memory that could be taken. */
  readonly freeBytes: number;
}

const OPERATIONS: readonly Operation[] = ['sort', 'sortPairs', 'argsort'];

/**
 * Fills in the defaults of a described request.
 * @throws TypeError for a key type that there is not, RangeError for a length that no array has.
 */
export function shapeOf(request: PlanRequest): RequestShape {
  const { operation = 'sort', keyType, valueBytes = 4, length } = request;
  const keyTypes = typeof keyType === 'string' ? [keyType] : keyType;
  if (!Array.isArray(keyTypes) || keyTypes.length === 0 || !keyTypes.every(isKeyType)) {
    throw new TypeError(
      `keyType must be one or several of ${KEY_TYPES.join(', ')}, got ${describe(keyType)}`,
    );
  }
  if (!OPERATIONS.includes(operation)) {
    throw new TypeError(
      `operation must be one of ${OPERATIONS.join(', ')}, got ${describe(operation)}`,
    );
  }
  if (keyTypes.length > 1 && operation !== 'argsort') {
    throw new TypeError(`only argsort takes several columns, not ${operation}`);
  }
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new RangeError(`length must be a whole number of keys >= 0, got ${describe(length)}`);
  }
  return {
    operation,
    keyTypes,
    valueBytes: operation === 'sortPairs' ? valueBytes : 0,
    length,
    order: request.order ?? 'ascending',
    segmentCount: request.segmentCount ?? 1,
    keyBits: request.keyBits,
    approximate: request.approximate ?? false,
  };
}

const isKeyType = (value: unknown): boolean => (KEY_TYPES as readonly unknown[]).includes(value);

/**
 * Orders `candidates` (preferred ones first, where they are expected to take the same time) for a
 * request under 'auto'. Every backend stands in the plan once, in `steps` or in `refused`. A backend
 * that rests, or for which memory is short, is a step where there would be none.
 */
export function planRequest(
  shape: RequestShape,
  candidates: readonly Candidate[],
  { profile, allowSoftware, freeBytes }: Conditions,
): Plan {
  const steps: PlanStep[] = [];
  const refused: Refusal[] = [];
  const reserve: { readonly step: PlanStep; readonly why: string }[] = [];
  for (const candidate of candidates) {
    const backend = candidate.backend.name;
    const refusal =
      refusalOf(shape, candidate) ?? (allowSoftware ? undefined : softwareOnly(candidate));
    if (refusal !== undefined) {
      refused.push({ backend, reason: refusal });
      continue;
    }
    const step = stepOf(shape, candidate);
    const why = resting(candidate) ?? shortage(shape, candidate, freeBytes);
    if (why === undefined) steps.push(step);
    else reserve.push({ step, why });
  }
  if (steps.length === 0) steps.push(...reserve.map(({ step }) => step));
  else refused.push(...reserve.map(({ step, why }) => ({ ...step, reason: why })));
  steps.sort((a, b) => a.milliseconds - b.milliseconds);
  return { steps, refused, profile };
}

/** A backend's place in a plan, with what is expected of it. */
export function stepOf(shape: RequestShape, candidate: Candidate): PlanStep {
  const { backend, probe, estimate, startUp } = candidate;
  const milliseconds = warmMilliseconds(estimate, shape) + startUp;
  return {
    backend: backend.name,
    // Written when it is read: most calls ask for no report.
    get reason() {
      const starting = startUp > 0 ? `, ${inWords(startUp)} of it to start` : '';
      const what = probe?.available ? probe.capabilities.description : 'not probed yet';
      return `${inWords(milliseconds)} expected${starting} (${what})`;
    },
    milliseconds,
  };
}

/** Three digits are more than is known. */
const inWords = (milliseconds: number): string => `${+milliseconds.toPrecision(2)} ms`;

/** Why a backend can't serve the request at all, or undefined. */
export function refusalOf(
  shape: RequestShape,
  { backend, probe }: Pick<Candidate, 'backend' | 'probe'>,
): string | undefined {
  if (probe?.available === false) return probe.reason;
  const limit = backend.maxLength(shape);
  if (shape.length <= limit) return undefined;
  return limit === 0
    ? `it has no ${shape.operation} of ${shape.keyTypes.join(', ')} keys`
    : `${shape.length} keys are over its limit of ${limit} for this request`;
}

/** A software adapter is no GPU: the CPU backend does the same work sooner. */
function softwareOnly({ probe }: Candidate): string | undefined {
  if (!probe?.available || !probe.capabilities.software) return undefined;
  return `${probe.capabilities.description} is a software adapter`;
}

function resting({ restsFor, failure }: Candidate): string | undefined {
  if (restsFor === 0) return undefined;
  return `it rests for another ${inWords(restsFor)} since it failed: ${failure}`;
}

/** Memory that it has kept is there; what it takes more must be free. */
function shortage(
  shape: RequestShape,
  { backend, heldBytes }: Candidate,
  freeBytes: number,
): string | undefined {
  if (freeBytes === Number.POSITIVE_INFINITY) return undefined;
  const bytes = bytesFor(backend.name, shape) - heldBytes;
  if (bytes <= freeBytes) return undefined;
  const mebibytes = (count: number): number => Math.ceil(count / 2 ** 20);
  return `it would take another ${mebibytes(bytes)} MiB, and ${mebibytes(freeBytes)} MiB are free`;
}
