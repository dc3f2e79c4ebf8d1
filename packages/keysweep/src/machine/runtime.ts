/** Which program runs this code, and by which engine. The only place that looks. */

/** A JavaScript engine. Engines differ most in how they sort. */
export type Engine = 'V8' | 'JavaScriptCore' | 'SpiderMonkey' | 'unknown';

/**
 * How the kernels of the CPU's backend run: as WebAssembly; as plain TypeScript; or as plain
 * TypeScript that nothing compiles, which takes ten times as long again.
 */
export type Kernels = 'wasm' | 'plain' | 'interpreted';

/** A program that runs JavaScript. */
export interface Runtime {
  /** Its name and version: "Node.js 20.20.2", "Bun 1.4.5", "Chrome 147". */
  readonly runtime: string;
  readonly engine: Engine;
  /**
   * Whether `TypedArray.prototype.sort` is a radix sort for some types. Others compare keys, and
   * take some ten times as long.
   */
  readonly hasRadixSort: boolean;
  readonly kernels: Kernels;
}

/** The globals that tell. */
export interface Globals {
  readonly process?: {
    readonly versions?: { readonly bun?: string; readonly node?: string } | undefined;
    readonly execArgv?: readonly string[];
  };
  readonly WebAssembly?:
    | {
        readonly Module: new (bytes: Uint8Array) => unknown;
        readonly Instance: new (module: never) => unknown;
      }
    | undefined;
  readonly Deno?: { readonly version: { readonly deno: string } };
  readonly navigator?: { readonly userAgent?: string } | undefined;
}

/**
 * The first Bun whose JavaScriptCore has a radix sort, by measurement: 1.4.0 has none. It is not
 * known which Safari will have it, so none counts: where one has it, the loss is small.
 */
const BUN_WITH_RADIX_SORT: readonly number[] = [1, 4, 1];

/**
 * Browsers by what their user agents say, the first that fits. Each names the browsers that it
 * descends from, too. Every browser on iOS is Apple's engine. Marks are regular expressions.
 */
const BROWSERS: readonly (readonly [mark: string, name: string, engine: Engine])[] = [
  ['FxiOS', 'Firefox for iOS', 'JavaScriptCore'],
  ['CriOS', 'Chrome for iOS', 'JavaScriptCore'],
  ['EdgiOS', 'Edge for iOS', 'JavaScriptCore'],
  ['Firefox', 'Firefox', 'SpiderMonkey'],
  ['Edg', 'Edge', 'V8'],
  ['EdgA', 'Edge', 'V8'],
  ['OPR', 'Opera', 'V8'],
  ['Chrome', 'Chrome', 'V8'],
  ['HeadlessChrome', 'Chrome', 'V8'],
  // Others of Apple's engine name a version of Safari that there never was, such as 60.5.
  ['(?:Macintosh|iPhone|iPad|iPod)\\b.*\\bVersion', 'Safari', 'JavaScriptCore'],
  ['AppleWebKit', 'WebKit', 'JavaScriptCore'],
];

/** The runtime of these globals. */
export function runtimeOf(globals: Globals): Runtime {
  return { ...programOf(globals), kernels: kernelsOf(globals) };
}

type Program = Omit<Runtime, 'kernels'>;

/** Bun and Deno also say which Node.js they stand in for. */
function programOf(globals: Globals): Program {
  const { process, Deno } = globals;
  const { bun, node } = process?.versions ?? {};
  if (bun !== undefined)
    return madeOf(`Bun ${bun}`, 'JavaScriptCore', isFrom(bun, BUN_WITH_RADIX_SORT));
  if (Deno !== undefined) return madeOf(`Deno ${Deno.version.deno}`, 'V8');
  if (node !== undefined) return madeOf(`Node.js ${node}`, 'V8');
  // Not read before, because Node makes its navigator when somebody first does.
  const userAgent = globals.navigator?.userAgent ?? '';
  for (const [mark, name, engine] of BROWSERS) {
    // In most browsers, all that follows the first zero is zeros.
    const version = new RegExp(`\\b${mark}/(\\d+(?:\\.[1-9]\\d*)*)`).exec(userAgent)?.[1];
    if (version !== undefined) return madeOf(`${name} ${version}`, engine);
  }
  return madeOf('an unknown runtime', 'unknown');
}

/** Whether a version is `first` or a later one. */
function isFrom(version: string, first: readonly number[]): boolean {
  const numbers = version.split('.').map(Number.parseFloat);
  const at = first.findIndex((number, i) => numbers[i] !== number);
  return at === -1 || (numbers[at] as number) > (first[at] as number);
}

const madeOf = (
  runtime: string,
  engine: Engine,
  hasRadixSort: boolean = engine === 'SpiderMonkey',
): Program => ({ runtime, engine, hasRadixSort });

/** The shortest module: only its head. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** The flag of Node.js that takes WebAssembly away and nothing else. */
const NO_WEB_ASSEMBLY = /^--no-?expose[-_]wasm$/;

/**
 * A policy that forbids WebAssembly leaves its name in place, and keeps it from compiling; in
 * WebKit it compiles, and cannot be linked. The name is missing where nothing is compiled: with
 * Node's `--jitless`, in Apple's Lockdown Mode.
 */
function kernelsOf({ WebAssembly, process }: Globals): Kernels {
  if (WebAssembly === undefined) {
    return process?.execArgv?.some((flag) => NO_WEB_ASSEMBLY.test(flag)) ? 'plain' : 'interpreted';
  }
  try {
    new WebAssembly.Instance(new WebAssembly.Module(EMPTY_MODULE) as never);
    return 'wasm';
  } catch {
    return 'plain';
  }
}

/** The runtime of this program. */
export const thisRuntime = (): Runtime => runtimeOf(globalThis as Globals);
