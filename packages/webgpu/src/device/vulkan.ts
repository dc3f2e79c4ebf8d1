/**
 * Finds out whether Dawn would find a GPU through Vulkan, on Linux. If it finds none, or a driver
 * that it refuses, Dawn writes to standard error from native code, which nobody can catch. So files
 * are looked at first, and if they leave it open, another process tries, whose standard error is
 * thrown away.
 */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';

/** The environment and the folders in which drivers are looked for. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The folder of device files. */
  readonly devices: string;
  /** The system's folders of settings, which no variable names. */
  readonly settings: readonly string[];
}

const HERE: Surroundings = {
  env: process.env,
  devices: '/dev',
  settings: ['/usr/local/etc', '/etc'],
};

/** Variables by which a caller names drivers: they are then used as they are. */
const NAMED = ['VK_DRIVER_FILES', 'VK_ADD_DRIVER_FILES', 'VK_ICD_FILENAMES'];

/** Drivers that compute on the CPU: Dawn refuses some of them, and says so. */
const SOFTWARE = /^(lvp|vk_swiftshader)/;

/** Why Dawn finds no GPU here; undefined if it may find one. */
export async function whyNoVulkan(here: Surroundings = HERE): Promise<string | undefined> {
  const { env, devices } = here;
  if (process.platform !== 'linux') return undefined;
  if (!hasLoader()) return 'this machine has no Vulkan: there is no libvulkan.so.1';
  if (areNamed(env)) return undefined;
  const gpus = gpusIn(devices);
  if (gpus.length === 0) return 'this machine shows no GPU: /dev has no device file of one';
  const drivers = hardwareDrivers(here);
  if (drivers.length === 0) return "Vulkan has no driver for a GPU here: install the GPU's own";
  const isNvidia = gpus.some((name) => name.startsWith('nvidia'));
  if (isNvidia && drivers.some((path) => path.includes('nvidia'))) return undefined;
  const hasAdapter = await tryInProcess({ ...env, ...quietEnvironment(here) });
  return hasAdapter ? undefined : 'no driver of Vulkan serves the GPU of this machine to WebGPU';
}

/**
 * Calls `discover`, in which Dawn looks for drivers, and has it find only drivers of GPUs.
 * Variables that are set for this are restored when `discover` returns. In a worker thread the
 * environment is a copy that native code does not see.
 */
export function withHardwareDrivers<T>(discover: () => T, here: Surroundings = HERE): T {
  if (process.platform !== 'linux') return discover();
  const { env } = here;
  const before = { ...env };
  const set = quietEnvironment(here);
  Object.assign(env, set);
  try {
    return discover();
  } finally {
    for (const name of Object.keys(set)) {
      if (before[name] === undefined) delete env[name];
      else env[name] = before[name];
    }
  }
}

/** Whether Vulkan's loader is installed. */
function hasLoader(): boolean {
  try {
    process.dlopen({ exports: {} }, 'libvulkan.so.1', constants.dlopen.RTLD_LAZY);
  } catch (error) {
    // Any other error means that the library was found, though it is not an addon of Node.
    return !(error as Error).message.includes('cannot open shared object file');
  }
  return true;
}

const areNamed = (env: NodeJS.ProcessEnv): boolean => NAMED.some((name) => env[name] !== undefined);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is no such folder, or we may not read it.
    return [];
  }
}

/** The device files by which programs compute on GPUs. */
function gpusIn(devices: string): string[] {
  return [
    ...namesIn(join(devices, 'dri')).filter((name) => name.startsWith('renderD')),
    ...namesIn(devices).filter((name) => /^(nvidia\d+|dxg|mali\d+|kgsl-3d\d+)$/.test(name)),
  ];
}

/** The manifests of drivers in the folders where Vulkan's loader looks, but for software ones. */
function hardwareDrivers({ env, settings }: Surroundings): string[] {
  const home = env.HOME ?? homedir();
  const folders = [
    env.XDG_CONFIG_HOME ?? join(home, '.config'),
    ...(env.XDG_CONFIG_DIRS ?? '/etc/xdg').split(':'),
    ...settings,
    env.XDG_DATA_HOME ?? join(home, '.local/share'),
    ...(env.XDG_DATA_DIRS ?? '/usr/local/share:/usr/share').split(':'),
  ].map((folder) => join(folder, 'vulkan/icd.d'));
  return [...new Set(folders)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.json') && !SOFTWARE.test(name))
      .map((name) => join(folder, name)),
  );
}

/**
 * Variables that have Vulkan load only drivers of GPUs, unless drivers are named, and be silent.
 */
function quietEnvironment(here: Surroundings): Record<string, string> {
  const { env } = here;
  const drivers = areNamed(env) ? '' : hardwareDrivers(here).join(':');
  return {
    // The names that newer and older loaders know.
    ...(drivers !== '' && { VK_DRIVER_FILES: drivers, VK_ICD_FILENAMES: drivers }),
    // A layer of Mesa's looks for a display in this folder. It finds none if this is no folder.
    ...(env.XDG_RUNTIME_DIR === undefined && { XDG_RUNTIME_DIR: '/dev/null' }),
  };
}

/** The exit code that says that Dawn has found no adapter. */
const NONE = 3;

/** Milliseconds after which a driver that hangs is given up. */
const MAX_MILLISECONDS = 10_000;

/** Whether Dawn finds an adapter in a process of its own; true where that cannot be tried. */
function tryInProcess(env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const dawn = createRequire(import.meta.url).resolve('webgpu');
      const script = `import(${JSON.stringify(dawn)}).then(async ({ create }) => {
        process.exit((await create([]).requestAdapter()) ? 0 : ${NONE});
      });`;
      const args = ['--input-type=module', '--eval', script];
      execFile(process.execPath, args, { env, timeout: MAX_MILLISECONDS }, (error) => {
        resolve(error?.code !== NONE && error?.killed !== true);
      });
    } catch {
      // The package is in no folder, as in a bundle, or this program may start no process.
      resolve(true);
    }
  });
}
