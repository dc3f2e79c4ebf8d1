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
import { describe } from './describe.js';

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

/** One backend and the reason for its place in a plan. */
export interface PlanStep {
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
}

/** The backends that would be tried in this order, and those that would not be. */
export interface Plan {
  /** The first serves the request; the next takes over where one fails. */
  readonly steps: readonly PlanStep[];
  readonly refused: readonly PlanStep[];
}

/** What the planner looks at in a backend. `probe` is undefined until it has been asked. */
export interface Candidate {
  readonly backend: Pick<Backend, 'name' | 'maxLength'>;
  readonly probe: Probe | undefined;
}

/** Lengths from which a backend pays, by operation. */
type PaysFrom = Readonly<Record<Operation, number>>;

/**
 * Where a backend beats the runtime's own sort once warm: the cpu backend as measured on 2 cores of a Zen 5 under Node
 * 20, see apps/bench. A sort of keys alone has a fast opponent; pairs and argsort have only the comparator sort of
 * indices.
 */
const CPU_PAYS_FROM: PaysFrom = { sort: 1024, sortPairs: 192, argsort: 192 };

/**
 * Where a GPU beats the cpu backend too, with the way to the GPU and back: as measured on an NVIDIA H200 against 2
 * threads. Smaller arrays do not even ask whether there is a GPU.
 */
const WEBGPU_PAYS_FROM: PaysFrom = { sort: 2 ** 22, sortPairs: 2 ** 21, argsort: 2 ** 20 };

/**
 * Where the bitonic network may beat the runtime's own sort. It is no match for the cpu backend, which comes before it: this is for
 * when that fails.
 */
const WEBGL2_PAYS_FROM: PaysFrom = { sort: 2 ** 20, sortPairs: 2 ** 18, argsort: 2 ** 18 };

const PAYS_FROM: Readonly<Record<BackendName, PaysFrom>> = {
  webgpu: WEBGPU_PAYS_FROM,
  webgl2: WEBGL2_PAYS_FROM,
  cpu: CPU_PAYS_FROM,
  builtin: { sort: 0, sortPairs: 0, argsort: 0 },
};

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
  if (!Object.hasOwn(CPU_PAYS_FROM, operation)) {
    throw new TypeError(
      `operation must be one of ${Object.keys(CPU_PAYS_FROM).join(', ')}, got ${describe(operation)}`,
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
 * Orders `candidates` (preferred ones first, `builtin` last) for a request under 'auto'. Every
 * backend stands in the plan once, in `steps` or in `refused`.
 */
export function planRequest(shape: RequestShape, candidates: readonly Candidate[]): Plan {
  const steps: PlanStep[] = [];
  const refused: PlanStep[] = [];
  for (const candidate of candidates) {
    const backend = candidate.backend.name;
    const refusal =
      refusalOf(shape, candidate) ??
      softwareOnly(candidate) ??
      tooSmall(shape, backend, candidates);
    if (refusal !== undefined) refused.push({ backend, reason: refusal });
    else steps.push({ backend, reason: reasonFor(shape, candidate, refused) });
  }
  return { steps, refused };
}

/** Why a backend can't serve the request at all, or undefined. */
export function refusalOf(shape: RequestShape, candidate: Candidate): string | undefined {
  const { backend, probe } = candidate;
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

function tooSmall(
  shape: RequestShape,
  backend: BackendName,
  candidates: readonly Candidate[],
): string | undefined {
  const from = PAYS_FROM[backend][shape.operation];
  const isLast = backend === candidates.at(-1)?.backend.name;
  if (isLast || shape.length >= from) return undefined;
  return `${shape.length} keys are too few: it pays from ${from} on`;
}

function reasonFor(
  shape: RequestShape,
  { backend, probe }: Candidate,
  refused: readonly PlanStep[],
): string {
  const preferred = refused.at(-1);
  if (backend.name === 'builtin') {
    return preferred === undefined
      ? "the runtime's own sort needs nothing that could be missing"
      : `the runtime's own sort; not ${preferred.backend}: ${preferred.reason}`;
  }
  const what = probe?.available ? probe.capabilities.description : 'not probed yet';
  return `it pays from ${PAYS_FROM[backend.name][shape.operation]} keys on (${what})`;
}
