/** Engines that are no browsers: processes from npm, which `tools/install-engines.mjs` brings. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, LAVAPIPE } from '../../../../tools/install-engines.mjs';
import { Processes } from '../../../../tools/test/browsers.js';
import { run } from '../process.js';
import { resultOf } from '../trial.js';
import type { Found, Part } from './found.js';
import { bundle } from './site.js';

const commandOf = (name: string): string => join(ENGINES, 'node_modules', '.bin', name);

/** Whether the engine was installed. */
export const hasEngine = (name: 'deno' | 'workerd'): boolean => existsSync(commandOf(name));

/** Vulkan's loader sees the software GPU and nothing else. */
export const ON_LAVAPIPE: Readonly<Record<string, string>> = { VK_ICD_FILENAMES: LAVAPIPE };

interface Work {
  readonly seed: number;
  readonly parts: readonly Part[];
}

/** Calls `work` with a folder that is removed afterwards. */
async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'keysweep-engine-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const inDeno = (task: Work, env: Readonly<Record<string, string>>): Promise<Found> =>
  inFolder(async (folder) => {
    const program = await bundle('in-process.ts', { ...task, run: '' });
    await writeFile(join(folder, 'program.mjs'), program);
    const args = ['run', '--allow-all', '--unstable-webgpu', 'program.mjs'];
    return resultOf<Found>(await run(commandOf('deno'), args, { cwd: folder, env })).result;
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

export const inWorkerd = (task: Work): Promise<Found> =>
  inFolder(async (folder) => {
    const port = await freePort();
    await writeFile(
      join(folder, 'program.mjs'),
      await bundle('in-request.ts', { ...task, run: '' }),
    );
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
