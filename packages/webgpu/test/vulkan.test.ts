/** What is said, and written, where Vulkan has no GPU for Dawn. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chromiumFolder } from '../../../tools/chromium.js';
import { type Surroundings, whyNoVulkan, withHardwareDrivers } from '../dist/device/vulkan.js';
import { softwareEnvironment } from './software-gpu.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A driver that works anywhere. */
const SWIFTSHADER = join(chromiumFolder(), 'vk_swiftshader_icd.json');

let folder = '';
let here: Surroundings;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keysweep-vulkan-'));
  const { VK_DRIVER_FILES, VK_ADD_DRIVER_FILES, VK_ICD_FILENAMES, XDG_RUNTIME_DIR, ...others } =
    softwareEnvironment();
  const env = {
    ...others,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CONFIG_DIRS: join(folder, 'configs'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_DATA_DIRS: join(folder, 'share'),
  };
  mkdirSync(join(folder, 'dev/dri'), { recursive: true });
  here = { env, devices: join(folder, 'dev'), settings: [] };
});

afterEach(() => rmSync(folder, { recursive: true }));

const addDevice = (name: string): void => writeFileSync(join(folder, 'dev', name), '');

/** A manifest of a driver; without a library, of SwiftShader under another name. */
function addDriver(name: string, library?: string): string {
  const manifest = JSON.parse(readFileSync(SWIFTSHADER, 'utf8'));
  manifest.ICD.library_path =
    library ?? resolve(dirname(SWIFTSHADER), manifest.ICD.library_path as string);
  const path = join(folder, 'share/vulkan/icd.d', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(manifest));
  return path;
}

describe('on Linux, where Vulkan is installed', () => {
  it('a machine without a device file has no GPU, whatever drivers it has', async () => {
    addDriver('radeon_icd.json');
    expect(await whyNoVulkan(here)).toMatch('this machine shows no GPU');
  });

  it('drivers that compute on the CPU count as none', async () => {
    addDevice('dri/renderD128');
    addDriver('lvp_icd.x86_64.json');
    addDriver('vk_swiftshader_icd.json');
    expect(await whyNoVulkan(here)).toMatch('Vulkan has no driver for a GPU here');
  });

  it('a driver that serves nothing is tried in another process', async () => {
    addDevice('dri/renderD128');
    addDriver('radeon_icd.json', join(folder, 'missing.so'));
    expect(await whyNoVulkan(here)).toMatch('no driver of Vulkan serves the GPU');
  });

  it('and so is one that serves', async () => {
    addDevice('dri/renderD128');
    addDriver('radeon_icd.json');
    expect(await whyNoVulkan(here)).toBeUndefined();
  });

  it("NVIDIA's GPU with its driver is not tried", async () => {
    addDevice('nvidia0');
    addDriver('nvidia_icd.json', join(folder, 'missing.so'));
    expect(await whyNoVulkan(here)).toBeUndefined();
  });

  it.each(['VK_DRIVER_FILES', 'VK_ADD_DRIVER_FILES', 'VK_ICD_FILENAMES'])(
    'drivers that %s names are used',
    async (name) => {
      expect(await whyNoVulkan({ ...here, env: { ...here.env, [name]: 'mine.json' } })).toBe(
        undefined,
      );
    },
  );

  it('drivers are looked for by variables that are set meanwhile', () => {
    const [path] = [addDriver('radeon_icd.json'), addDriver('lvp_icd.json')];
    const { env } = here;
    const before = { ...env };
    const seen = withHardwareDrivers(() => ({ ...env }), here);
    expect(seen).toEqual({
      ...before,
      VK_DRIVER_FILES: path,
      VK_ICD_FILENAMES: path,
      XDG_RUNTIME_DIR: '/dev/null',
    });
    expect(env).toEqual(before);
    const named = { ...here, env: { VK_DRIVER_FILES: 'mine.json', XDG_RUNTIME_DIR: '/run' } };
    expect(withHardwareDrivers(() => ({ ...named.env }), named)).toEqual(named.env);
  });
});

it.each([
  ['no driver', () => {}],
  ['a driver without its library', () => addDriver('radeon_icd.json', join(folder, 'no.so'))],
  ['a driver that computes on the CPU', () => addDriver('lvp_icd.x86_64.json')],
])('a probe writes nothing to standard error with %s', (_, prepare) => {
  prepare();
  const script = `
    import { webgpu } from '@keysweep/webgpu';
    const backend = webgpu();
    console.log(typeof (await backend.probe()).available);
    await backend.close();`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { cwd: HERE, env: here.env, encoding: 'utf8' },
  );
  expect({ stdout, stderr }).toEqual({ stdout: 'boolean\n', stderr: '' });
});
