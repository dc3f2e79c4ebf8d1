/** Engines that are no browsers: processes from npm, which `tools/install/engines.mjs` brings. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBun } from '../../../../packages/keysweep/test/engines/bun.js';
import { ARM64, ENGINES, ON_LAVAPIPE } from '../../../../tools/install/engines.mjs';
import { Processes } from '../../../../tools/test/browsers.js';
import { run } from '../process.js';
import { resultOf } from '../trial.js';
import { BRIEFLY, ON_CPU, WEBGPU } from './engines.js';
import type { Found, Part } from './found.js';
import { type Build, bundle, FOR_PAGES } from './site.js';

/** A trial of an engine that runs scripts alone. */
export interface ProcessTrial {
  readonly engine: string;
  /** What sets this trial apart from the engine's others. */
  readonly way: string;
  readonly parts: readonly Part[];
  /** Warnings by 'auto' that are expected. */
  readonly warnings?: readonly string[];
  /** What is asked for its version; it answers if the engine is installed. */
  readonly program: Program;
  /** `installed`: a folder with the packages as their users install them. */
  run(task: Work, installed: string): Promise<Found>;
}

/** A command and the arguments that it always has. */
type Program = readonly [command: string, ...args: string[]];

interface Work {
  readonly seed: number;
  readonly parts: readonly Part[];
}

const commandOf = (name: string): string => join(ENGINES, 'node_modules', '.bin', name);

/** A file of an engine that is a package of its own. */
const fileOf = (name: string, file: string): string => join(ENGINES, 'node_modules', name, file);

const FOR_NODE: Build = { platform: 'node', format: 'esm' };

/** Calls `work` with a folder of `parent` that is removed afterwards. */
async function inFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(parent, 'keysweep-program-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface How {
  /** What the engine is given before the name of the file. */
  readonly args?: readonly string[];
  readonly build?: Build;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a bundle of the program as a file. One for Node lies where it finds packages of the
 * workspace. One for pages has all of them in itself, and Deno starts no worker from a Blob for
 * what lies below a folder `node_modules`.
 */
const byFile =
  ([command, ...always]: Program, { args = [], build = FOR_NODE, env = {} }: How = {}) =>
  (task: Work, installed: string): Promise<Found> =>
    inFolder(build.platform === 'node' ? ENGINES : tmpdir(), async (cwd) => {
      const file = build.format === 'esm' ? 'program.mjs' : 'program.js';
      const code = await bundle('in-process.ts', { ...task, run: '' }, build, installed);
      await writeFile(join(cwd, file), code);
      return resultOf<Found>(await run(command, [...always, ...args, file], { cwd, env })).result;
    });

/** A port that nobody listens on. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const CONFIG = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main) ],
  sockets = [ (name = "http", address = "localhost:${port}", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [ (name = "program.mjs", esModule = embed "program.mjs") ],
  compatibilityDate = "2026-01-01",
);
`;

const inWorkerd = (task: Work, installed: string): Promise<Found> =>
  inFolder(tmpdir(), async (folder) => {
    const port = await freePort();
    const code = await bundle('in-request.ts', { ...task, run: '' }, FOR_PAGES, installed);
    await writeFile(join(folder, 'program.mjs'), code);
    await writeFile(join(folder, 'config.capnp'), CONFIG(port));
    const workerd = new Processes(commandOf('workerd'), ['serve', join(folder, 'config.capnp')], {
      ...process.env,
    });
    const ask = async (tries: number): Promise<string> => {
      try {
        return await (await fetch(`http://localhost:${port}`)).text();
      } catch (error) {
        if (tries === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return ask(tries - 1);
      }
    };
    try {
      return JSON.parse(await workerd.during(ask(100))) as Found;
    } finally {
      await workerd.end();
    }
  });

const nodeOf = (version: number): Program => [fileOf(`node${version}`, 'bin/node')];

const node = (version: number): ProcessTrial => {
  const program = nodeOf(version);
  const run = byFile(program);
  return { engine: `Node ${version}`, way: 'process', parts: ON_CPU, program, run };
};

/**
 * Dawn on a software GPU whose subgroups are as wide as its vectors, in numbers of 32 bits. Mesa
 * compiles a kernel when it first runs, by LLVM's coroutines, in a time that grows faster than the
 * number of its barriers, and keeps it: the first run takes 80 s of the processor's time with 128
 * bits, and several minutes with 256. With 512 bits a kernel takes minutes even without LLVM's
 * optimizing passes (GALLIVM_PERF=nopt), and 25 minutes are not enough for all, so they are not
 * tried here. On ten cores, with a share of the checks for each, 60 of 66 were done in twelve
 * minutes, and right.
 */
const dawn = (bits: number): ProcessTrial => {
  const program = nodeOf(24);
  const env = { ...ON_LAVAPIPE, LP_NATIVE_VECTOR_WIDTH: `${bits}` };
  const way = `Dawn on a software GPU, subgroups of ${bits / 32}`;
  const run = byFile(program, { env });
  return { engine: 'Node 24', way, parts: ['RadixSorter'], program, run };
};

const ON_ARM: Program = [ARM64.qemu, '-L', ARM64.root, join(ARM64.root, 'package/bin/node')];
const BUN: Program = [findBun() ?? 'bun'];
const DENO: Program = [commandOf('deno')];
const IN_DENO = ['run', '--allow-all'];
/**
 * Without Vulkan, Deno's WebGPU finds Mesa's OpenGL on the CPU, which comes with WebKitGTK. Checks
 * of every backend would then take ten times as long, and its own trial is for it.
 */
const WITHOUT_GPU = { DENO_WEBGPU_BACKEND: 'vulkan', VK_ICD_FILENAMES: '/dev/null' };
const WITH_VULKAN = { DENO_WEBGPU_BACKEND: 'vulkan', ...ON_LAVAPIPE };
const EDGE: Program = [...nodeOf(24), fileURLToPath(new URL('./in-edge.mjs', import.meta.url))];

export const PROCESS_TRIALS: readonly ProcessTrial[] = [
  ...[20, 22, 24, 26].map(node),
  ...[128, 256].map(dawn),
  {
    engine: 'Node 24',
    way: 'arm64 by qemu',
    parts: BRIEFLY,
    program: ON_ARM,
    run: byFile(ON_ARM),
  },
  { engine: 'Bun', way: 'process', parts: ON_CPU, program: BUN, run: byFile(BUN) },
  {
    engine: 'Deno',
    way: 'process',
    parts: ON_CPU,
    program: DENO,
    run: byFile(DENO, { args: IN_DENO, env: WITHOUT_GPU }),
  },
  {
    engine: 'Deno',
    way: 'build for pages',
    parts: ON_CPU,
    program: DENO,
    run: byFile(DENO, { args: IN_DENO, build: FOR_PAGES, env: WITHOUT_GPU }),
  },
  {
    engine: 'Deno',
    way: 'wgpu on a software GPU',
    parts: WEBGPU,
    program: DENO,
    run: byFile(DENO, { args: IN_DENO, build: FOR_PAGES, env: WITH_VULKAN }),
  },
  {
    engine: 'edge-runtime',
    way: 'in Node 24',
    parts: ON_CPU,
    program: EDGE,
    run: byFile(EDGE, { build: { platform: 'browser', format: 'iife' } }),
  },
  {
    engine: 'workerd',
    way: 'request',
    parts: ON_CPU,
    program: [commandOf('workerd')],
    // It compiles no WebAssembly at run time.
    warnings: ['no-webassembly'],
    run: inWorkerd,
  },
];
