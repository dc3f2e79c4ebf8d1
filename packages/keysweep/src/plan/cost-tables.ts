/**
 * What backends cost on a few kinds of machine, one table for each kind.
 *
 * The comment on a table names the record in apps/bench/records that its figures come from. A
 * figure without a record says that it is a guess. `built-in-costs.ts` picks a table for a machine.
 */

import type { Costs } from './cost.js';

/**
 * V8 sorts keys by std::sort, and indices by a merge sort with a comparator. Two cores of a Zen
 * 5, Node 20: epyc-zen5-2-cores/2026-11-21-cpu.json. An H200's host, in Node and Chromium, is
 * within a third of that: h200-16-cores/2026-11-21-regret.json and
 * h200-16-cores/2026-11-21-regret-page.json. Floats are sorted as integers, and rows of one key as
 * packed integers, since then; their figures are from two busy cores of a Zen 4 and have no record.
 * More than 2^23 rows are compared.
 */
export const V8: Costs = {
  of: 'V8, as measured on a Zen 5',
  backend: 'builtin',
  start: 0,
  fixed: 0.003,
  keys: [20, 26, 37, 45, 51, 58, 72],
  rows: [40, 40, 50, 65, 140, 200, 480],
  compared: [150, 190, 260, 300, 360, 420, 480],
  keyWeights: [0.6, 0.95, 1.05, 1.05],
  rowWeights: [1, 1, 1.1, 1],
  transfer: 0,
};

/**
 * V8 in Chromium, whose library compares keys of up to 32 bits without branches. Chromium 147 on
 * two busy cores of a Zen 4, the best of many sorts; no record. Rows are as V8's elsewhere.
 */
export const V8_IN_CHROMIUM: Costs = {
  ...V8,
  keyWeights: [1, 1, 1, 1],
  of: 'V8 in Chromium, as measured on a Zen 4',
  keys: [20, 20, 20, 23, 27, 31, 36],
  types: {
    u8: [10, 9, 8, 9, 10, 11, 12],
    u64: [20, 26, 39, 48, 57, 64, 72],
    f64: [20, 26, 40, 50, 59, 66, 75],
  },
};

/**
 * JavaScriptCore has a radix sort, for 64-bit keys if there are some 4,000 or more. Two cores of a
 * Xeon, Bun 1.4.5: xeon-2-cores/2026-11-22-regret-bun.json. f16 has no record, nor have lengths
 * below 1,000. Those above 2^22 are a guess. Floats have the figures of integers, as which they are
 * sorted; the figures of rows of one key are from two busy cores of a Zen 4, and have no record.
 */
export const JAVA_SCRIPT_CORE: Costs = {
  of: 'JavaScriptCore in Bun, as measured on a Xeon',
  backend: 'builtin',
  start: 0,
  fixed: 0.005,
  keys: [33, 7.8, 6.4, 7.6, 15.5, 25, 35],
  rows: [60, 45, 22, 40, 80, 130, 900],
  compared: [310, 385, 500, 590, 700, 800, 900],
  keyWeights: [1, 1, 1, 1],
  rowWeights: [1, 1, 1.4, 1],
  types: {
    u8: [29, 2.5, 0.62, 0.55, 0.51, 0.7, 0.8],
    u16: [27, 4, 2.9, 3.4, 6.1, 7, 8],
    f16: [27, 4, 2.9, 3.4, 6.1, 7, 8],
    u64: [33, 50, 16, 21, 41, 75, 90],
    f64: [33, 50, 16, 21, 41, 75, 90],
  },
  transfer: 0,
};

/**
 * Firefox has a radix sort for keys of up to 32 bits, below 64 MB. Firefox 153 on two cores of a
 * Xeon, up to 2^22 keys: xeon-2-cores/2026-11-23-regret-firefox.json, and for 10^5 keys or more
 * xeon-2-cores/2026-11-23-regret-firefox-long.json. The shortest samples count, because other
 * programs kept the machine busy.
 *
 * For 2^20 keys of u32 or more, the figures lie between two machines: 10^6 keys took 5.8 ms on the
 * Xeon, and 7.7 on a Zen 4, epyc-zen4-2-cores/2026-11-27-regret-firefox.json. So does the figure of
 * f32 by threads. Beyond 2^23 keys the figures are a guess, and so are those of rows of one key.
 * Floats have the figures of integers, because they are sorted as integers.
 */
export const SPIDER_MONKEY: Costs = {
  ...V8,
  of: 'Firefox, as measured on a Xeon',
  keys: [26, 6, 6.6, 6.4, 7, 11.5, 100],
  rows: [50, 60, 75, 90, 110, 140, 960],
  compared: [200, 215, 300, 600, 720, 840, 960],
  keyWeights: [1, 1, 1, 1],
  types: {
    u8: [14, 1.4, 0.8, 0.8, 0.7, 0.7, 40],
    u16: [5, 2.8, 2.6, 3, 2.4, 1.8, 60],
    f16: [5, 2.8, 2.6, 3, 2.4, 1.8, 60],
    u64: [28, 40, 54, 66, 78, 90, 104],
    f64: [28, 40, 54, 66, 78, 90, 104],
  },
};

/**
 * Two threads, the calling one included, for 2^18 keys or more. Two cores of a Zen 5, Node 20:
 * epyc-zen5-2-cores/2026-11-21-cpu.json. Keys of a byte are counted since; their weight is from
 * the same machine, 2^17 to 2^23 keys. `start` and `cold` are the calling thread's processor time
 * of a first sort, 10^4 to 3 * 10^6 keys of four types on two busy cores of a Xeon; no record.
 * `fixed` is what calls with pauses take on a Zen 4 at 2.7 GHz. Calls without pauses take a quarter
 * of it; the longer one keeps slow machines from losing to the runtime's own sort.
 *
 * `parts` is the processor's time of one thread on two busy cores, 5 parts of 3 * 10^7 keys against
 * the whole; no record. 5.6 * 10^8 keys in real parts took 42 ns each of two threads' time, and
 * 2.6 * 10^8 in one arena 26. On an idle machine it may be less.
 */
export const CPU_NODE: Costs = {
  of: 'threads in Node.js, as measured on 2 cores',
  backend: 'cpu',
  start: 10,
  cold: 3,
  fixed: 0.08,
  keys: [15, 6, 4.3, 3.6, 3.8, 3.5, 4],
  rows: [50, 7, 5.5, 5.5, 5, 5, 6],
  keyWeights: [0.23, 0.75, 1.75, 1.35],
  rowWeights: [0.9, 0.9, 1.8, 1.5],
  transfer: 0,
  parts: [20, 55],
};

/**
 * Threads as in Node, but in Bun, beside JAVA_SCRIPT_CORE and in the same record: a Xeon's cores
 * take twice as long as a Zen 5's. `start` is a choice. It takes 90 ms there, which a program that sorts
 * a million keys a second time is taken to be worth.
 */
export const CPU_BUN: Costs = {
  ...CPU_NODE,
  of: 'threads in Bun, as measured on 2 cores of a Xeon',
  start: 12,
  cold: 2,
  fixed: 0.022,
  keys: [10, 6.3, 7.4, 11, 7.8, 9.2, 11],
  rows: [40, 14, 13, 16, 11, 11, 13],
  keyWeights: [0.2, 0.75, 1.4, 1.3],
  rowWeights: [0.55, 0.8, 1.4, 1.2],
  types: {
    u16: [9, 9, 6, 6.3, 3.8, 3.1, 3.1],
    f16: [13, 20, 9, 8.2, 2.4, 1.5, 1.5],
    f32: [13, 12, 9.7, 10.8, 11.6, 10, 12],
  },
};

/**
 * Node's kernels in an isolated page. Messages to workers, for 2^17 keys or more, take two or
 * three milliseconds on an H200's host: h200-16-cores/2026-11-21-regret-page.json. The rest is a
 * guess.
 */
export const CPU_ISOLATED: Costs = {
  ...CPU_NODE,
  of: "an isolated page's workers, in part a guess",
  cold: 2.5,
  keys: [15, 6, 4.3, 9, 5, 4, 5],
  rows: [50, 7, 5.5, 10, 6, 6, 7],
};

/**
 * One worker that arrays are sent to, in a page that is not isolated: 50 ms for 10^7 keys on a
 * Zen 5, the rest is a guess.
 */
export const CPU_NOT_ISOLATED: Costs = {
  ...CPU_ISOLATED,
  of: "a page's one worker, a guess",
  cold: 1.5,
  keys: [15, 6, 4.3, 9, 7, 7, 9],
  rows: [50, 7, 5.5, 12, 10, 10, 12],
};

/**
 * Both in Firefox, beside SPIDER_MONKEY and in the same records. `start` and `cold` are the
 * processor's time of a page's main thread, which serves the first sort alone: 10^5 to 10^6 keys of
 * four types, on two busy cores of a Zen 4; no record. Threads take 110 to 810 ms to start, after
 * that sort. The worker that arrays are sent to has no record: its figures are a Zen 5's,
 * doubled.
 */
export const CPU_FIREFOX: Costs = {
  ...CPU_ISOLATED,
  of: "an isolated page's workers in Firefox, as measured on 2 cores of a Xeon",
  start: 10,
  cold: 1.4,
  fixed: 0.045,
  keys: [15, 12, 7, 10, 8.6, 8.5, 9.5],
  rows: [50, 25, 12, 15, 20, 22, 24],
  types: {
    u8: [10, 5, 1.6, 0.9, 0.9, 1.3, 1.5],
    u16: [12, 9, 6, 7, 3.1, 3, 3],
    f16: [13, 20, 9, 8.2, 3.1, 3, 3],
    f32: [15, 14, 9.9, 12.5, 9, 8.5, 9.5],
  },
};
export const CPU_FIREFOX_NOT_ISOLATED: Costs = {
  ...CPU_FIREFOX,
  of: "a page's one worker in Firefox, a guess",
  cold: 1,
  keys: [15, 12, 7, 16, 14, 14, 18],
  rows: [50, 25, 12, 24, 20, 20, 24],
  types: {},
};

/**
 * WebKit's calls begin sooner than V8's: WebKitGTK 2.50 on that Xeon with shared memory,
 * xeon-2-cores/2026-11-23-regret-webkit.json. Its own sort compares keys, and takes what V8's does.
 * `start` and `cold` are as in Firefox, of 10^5 to 10^6 keys of u32 and f64: the kernels are
 * compiled for 25 ms, and interpreted at first.
 */
export const IN_WEBKIT = { start: 25, cold: 4, fixed: 0.02 } as const;

/**
 * The calling thread alone, in slices: 2^18 keys or more take 1.6 to 1.8 times as long as with two
 * threads. By the processor's time on a busy Zen 4, 10^6 and 4 * 10^6 keys; no record.
 */
export const CPU_ALONE: Costs = {
  ...CPU_NODE,
  of: 'the calling thread alone, as roughly measured on a Zen 4',
  cold: 1.7,
  keys: [15, 6, 4.3, 4, 6, 6.5, 7.5],
  rows: [50, 7, 5.5, 6.5, 9, 9.5, 11],
};

/**
 * Plain TypeScript: what V8's own sort takes, by the figures above, times what plain TypeScript
 * took to that in turns on two busy cores, Node 20 with --no-expose-wasm, 2^7 to 2^22 keys; no
 * record. Keys of 64 bits are sorted as indices, and cost most. Beyond 2^22 keys it is a guess.
 */
export const CPU_PLAIN: Costs = {
  ...CPU_NODE,
  of: 'plain TypeScript, as measured on 2 busy cores',
  parts: [0, 0],
  cold: 1,
  fixed: 0.02,
  keys: [25, 18, 19, 29, 34, 33, 40],
  rows: [100, 30, 36, 38, 47, 110, 140],
  keyWeights: [0.23, 0.75, 4.5, 1.1],
  rowWeights: [0.9, 0.9, 2.1, 1.2],
  types: {
    u8: [20, 3, 1.5, 1, 1, 1, 1],
    u16: [25, 18, 20, 13, 3, 2.5, 2.5],
    f16: [25, 18, 20, 13, 3, 2.5, 2.5],
    u64: [100, 60, 76, 107, 142, 270, 330],
    f64: [150, 95, 93, 93, 203, 250, 320],
  },
};

/**
 * Plain TypeScript where nothing compiles it: --jitless in place of --no-expose-wasm, 2^7 to 2^20
 * keys.
 * V8's own sort of keys is native code, and so quicker for keys of every type.
 */
export const CPU_INTERPRETED: Costs = {
  ...CPU_PLAIN,
  of: 'plain TypeScript that is interpreted, as measured on 2 busy cores',
  keys: [800, 500, 440, 450, 510, 510, 510],
  rows: [1000, 510, 440, 510, 570, 600, 650],
  keyWeights: [0.23, 0.75, 2.8, 1.1],
  rowWeights: [0.9, 0.9, 2.1, 1.1],
  types: {
    u8: [330, 110, 55, 34, 35, 35, 35],
    u16: [500, 260, 230, 400, 73, 73, 73],
    f16: [500, 260, 230, 400, 73, 73, 73],
    u64: [2000, 1280, 1120, 1180, 1490, 1500, 1500],
    f64: [2400, 1600, 1080, 1180, 1420, 1500, 1500],
  },
};

/**
 * A comparator that is interpreted, by V8 in those same turns, beyond 2^20 rows a guess; and packed
 * rows, for which less is interpreted, on two busy cores of a Zen 4.
 */
export const COMPARED_INTERPRETED: Costs['rows'] = [740, 1120, 1430, 1800, 2270, 2700, 3100];
export const ROWS_INTERPRETED: Costs['rows'] = [200, 190, 195, 250, 330, 400, 3100];

/**
 * NVIDIA H200 through Dawn: h200-16-cores/2026-11-21-regret.json to 2^22 keys,
 * h200-16-cores/2026-11-21-regret-long-1.json for 2^24 keys or more. More keys than one workgroup
 * sorts take 3 ms at least. `transfer` is upload and readback of 2^24 keys. Keys of a byte are
 * widened. `start` is a guess.
 */
export const GPU_DAWN: Costs = {
  of: 'a discrete GPU, as measured on an NVIDIA H200 through Dawn',
  backend: 'webgpu',
  start: 250,
  fixed: 0.4,
  keys: [0.5, 0.5, 200, 27, 5, 1, 0.6],
  rows: [0.5, 0.5, 200, 27, 4, 1.3, 1.3],
  keyWeights: [12, 6, 2, 1],
  rowWeights: [6, 5, 2, 1],
  transfer: 0.14,
};

/**
 * That NVIDIA H200 in Chromium, which copies everything once more:
 * h200-16-cores/2026-11-21-regret-page.json. `start` is a guess.
 */
export const GPU_CHROMIUM: Costs = {
  ...GPU_DAWN,
  of: 'a discrete GPU, as measured on an NVIDIA H200 in Chromium',
  start: 400,
  fixed: 1.2,
  keyWeights: [8, 6, 2, 1],
  transfer: 0.18,
};

/**
 * A guess, no integrated GPU was measured: a tenth of the H200's kernels or less, and memory that
 * it shares with the CPU.
 */
export const GPU_INTEGRATED: Costs = {
  ...GPU_CHROMIUM,
  of: 'an integrated GPU, a guess',
  keys: [4, 4, 200, 27, 6, 3, 3],
  rows: [6, 6, 200, 27, 8, 5, 5],
  transfer: 0.15,
};

/**
 * SwiftShader on two busy cores in Chromium, up to 3e4 keys:
 * epyc-zen5-2-cores/2026-11-21-regret-page.json.
 */
export const GPU_SOFTWARE: Costs = {
  ...GPU_DAWN,
  of: 'a software adapter, as roughly measured on SwiftShader on 2 cores',
  fixed: 6,
  keys: [1500, 1500, 1500, 1500, 1500, 1500, 1500],
  rows: [5000, 5000, 5000, 5000, 5000, 5000, 5000],
  keyWeights: [1, 1, 2.5, 1],
  rowWeights: [1, 1, 2.5, 1],
};

/**
 * A bitonic network on an H200 in Chromium: 7, 16, 59 and 473 ms for 2^18, 2^20, 2^22 and 2^24
 * keys; no record. Pairs are a guess.
 */
export const WEBGL2: Costs = {
  of: 'WebGL2 on a discrete GPU, as measured on an NVIDIA H200 in Chromium',
  backend: 'webgl2',
  start: 300,
  fixed: 4.5,
  keys: [30, 15, 10, 10, 11, 20, 40],
  rows: [60, 30, 20, 20, 22, 40, 80],
  keyWeights: [1, 1, 4, 1],
  rowWeights: [1, 1, 2, 1],
  transfer: 0,
};

/** SwiftShader on two busy cores, up to 3e4 keys, as GPU_SOFTWARE. Longer ones are a guess. */
export const WEBGL2_SOFTWARE: Costs = {
  ...WEBGL2,
  of: 'WebGL2 in software, as roughly measured on SwiftShader on 2 cores',
  keys: [2000, 2000, 2000, 2500, 3000, 4000, 5000],
  rows: [4000, 4000, 4000, 5000, 6000, 8000, 10000],
};
