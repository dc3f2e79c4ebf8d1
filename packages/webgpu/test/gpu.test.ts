import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { globals } from 'webgpu';
import { findGpu } from '#gpu';
import { findGpu as findPagesGpu } from '../src/device/gpu-page.js';
import { describeGpu } from './gpu-checks.js';
import { softwareEnvironment } from './software-gpu.js';

const BUILT = fileURLToPath(new URL('../dist/device/gpu-node.js', import.meta.url));

describeGpu('in Node', globals as typeof globalThis);

it('findGpu in Node defines no globals', async () => {
  await findGpu();
  expect(Object.keys(globals).filter((name) => name in globalThis)).toEqual([]);
});

describe('without the package webgpu, or with one that does not load', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keysweep-'));
    cpSync(BUILT, join(folder, 'gpu-node.mjs'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    cpSync(join(dirname(BUILT), 'vulkan.js'), join(folder, 'vulkan.js'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const install = (code: string): void => {
    const home = join(folder, 'node_modules', 'webgpu');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'index.mjs'), code);
    writeFileSync(join(home, 'package.json'), '{ "exports": "./index.mjs" }');
  };

  const reason = (file = 'gpu-node.mjs'): string => {
    const code = `import('./${file}').then(async (m) => console.log(await m.findGpu()))`;
    return execFileSync(process.execPath, ['--eval', code], {
      cwd: folder,
      encoding: 'utf8',
      // Whether there is Vulkan is looked at before the package is started.
      env: softwareEnvironment(),
    }).trim();
  };

  it('says that it is not installed', () => {
    expect(reason()).toBe("the npm package 'webgpu' is not installed");
  });

  it('says what it does not load for', () => {
    // Ours is no addon of Node's: neither is one that lacks a library, or is for another system.
    install(`process.dlopen({ exports: {} }, ${JSON.stringify(BUILT)});`);
    expect(reason()).toMatch(/^the npm package 'webgpu' does not load here: .*gpu-node\.js.*$/);
  });

  const FAILS = "export function create() { throw new Error('no such thing\\n  at all'); }";

  it('says what its start failed of', () => {
    install(FAILS);
    expect(reason()).toBe("the npm package 'webgpu' does not load here: no such thing");
  });

  it.each([
    ['es', 'mjs'],
    ['cjs', 'cjs'],
  ] as const)('is no concern of bundlers, and is found by their %s', async (format, ending) => {
    install("throw new Error('of the bundle');");
    const warnings: string[] = [];
    const bundle = await rolldown({
      input: join(folder, 'gpu-node.mjs'),
      platform: 'node',
      onLog: (_, { message }) => warnings.push(message),
    });
    await bundle.write({ file: join(folder, `bundle.${ending}`), format, minify: true });
    await bundle.close();
    expect(warnings).toEqual([]);
    install(FAILS);
    expect(reason(`bundle.${ending}`)).toMatch(/no such thing$/);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(reason(`bundle.${ending}`)).toBe("the npm package 'webgpu' is not installed");
  });
});

it('a process with a device in use ends by itself, garbage collected or not', () => {
  const script = `
    import { findGpu } from ${JSON.stringify(BUILT)};
    const collect = async () => {
      for (let i = 0; i < 5; i++) { gc(); await new Promise(setImmediate); }
    };
    const device = await (async () => (await (await findGpu()).requestAdapter()).requestDevice())();
    await collect();
    const buffer = device.createBuffer({ size: 16, usage: 9 });
    await buffer.mapAsync(1);
    await collect();
    console.log(buffer.mapState);`;
  const args = ['--expose-gc', '--input-type=module', '--eval', script];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: softwareEnvironment(),
  });
  expect(output).toBe('mapped\n');
});

describe('findGpu where a page has no WebGPU', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each([
    [false, 'this page has no navigator.gpu: WebGPU needs a secure context (https or localhost)'],
    [true, 'this browser has no WebGPU on this system, or it is turned off'],
  ])('says why, the context being secure: %s', async (isSecureContext, reason) => {
    vi.stubGlobal('location', {});
    vi.stubGlobal('navigator', {});
    vi.stubGlobal('isSecureContext', isSecureContext);
    expect(await findPagesGpu()).toBe(reason);
  });

  it('does not speak of a browser where there is none', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    expect(await findPagesGpu()).toBe('this runtime has no navigator.gpu');
  });
});
