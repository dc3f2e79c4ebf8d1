/** Where a context comes from, and what it is taken for, in browsers that are not Chromium. */

import { webgl2 } from '@keysweep/webgl2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { inspect, openContext } from '../dist/context/context.js';
import { Engine } from '../dist/engine.js';

afterEach(() => vi.unstubAllGlobals());

const CONTEXT = { name: 'a context' };

/** A canvas whose `getContext` answers so. */
const canvasOf = (getContext: () => unknown): object =>
  class {
    getContext = getContext;
  };

const documentOf = (context: unknown): object => ({
  createElement: () => ({ getContext: () => context }),
});

const throwing = (): never => {
  throw new TypeError('no such kind of context');
};

it('a probe in which the code breaks says so, and does not reject', async () => {
  const broken = new Error('broken');
  vi.stubGlobal(
    'OffscreenCanvas',
    canvasOf(() => ({
      isContextLost() {
        throw broken;
      },
    })),
  );
  const backend = webgl2({ load: async () => ({}) });
  expect(await backend.probe()).toMatchObject({ available: false, cause: broken });
  await backend.close();
});

describe('a context', () => {
  it.each([
    ['has none', () => null],
    ['has never heard of it', throwing],
  ])('comes from an element where OffscreenCanvas %s', (_, getContext) => {
    vi.stubGlobal('OffscreenCanvas', canvasOf(getContext));
    vi.stubGlobal('document', documentOf(CONTEXT));
    expect(openContext()).toBe(CONTEXT);
  });

  it('comes from an OffscreenCanvas if that has one', () => {
    vi.stubGlobal(
      'OffscreenCanvas',
      canvasOf(() => CONTEXT),
    );
    vi.stubGlobal('document', documentOf(null));
    expect(openContext()).toBe(CONTEXT);
  });

  it('is missing if there is none, and if there is no canvas', () => {
    expect(openContext()).toMatch(/^there is no canvas here/);
    vi.stubGlobal(
      'OffscreenCanvas',
      canvasOf(() => null),
    );
    expect(openContext()).toMatch(/^this browser gives no WebGL2 context/);
    vi.stubGlobal('document', documentOf(null));
    expect(openContext()).toMatch(/^this browser gives no WebGL2 context/);
  });
});

/** A context that tells this name of its GPU, by the extension or without it. */
function contextNamed(renderer: string, hasExtension: boolean): WebGL2RenderingContext {
  const debug = hasExtension ? { UNMASKED_RENDERER_WEBGL: 'unmasked' } : null;
  const parameters: Record<string, unknown> = { unmasked: renderer, size: 4096, draws: 4 };
  if (!hasExtension) parameters.masked = renderer;
  return {
    RENDERER: 'masked',
    MAX_TEXTURE_SIZE: 'size',
    MAX_DRAW_BUFFERS: 'draws',
    MAX_COLOR_ATTACHMENTS: 'draws',
    isContextLost: () => false,
    getExtension: (name: string) => (name === 'WEBGL_debug_renderer_info' ? debug : {}),
    getParameter: (name: string) => parameters[name],
  } as unknown as WebGL2RenderingContext;
}

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15';

describe('the GPU', () => {
  it.each([
    ['Apple GPU', LINUX, true],
    ['Apple GPU', MAC, false],
    ['ANGLE (Apple, Apple M1, OpenGL 4.1)', MAC, false],
    ['Mozilla', LINUX, true],
    ['WebKit WebGL', LINUX, true],
    ['', LINUX, true],
    ['llvmpipe, or similar', LINUX, true],
    ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)', MAC, true],
    ['GeForce GTX 980, or similar', LINUX, false],
  ])('named %j counts as software by %s: %s', (renderer, userAgent, software) => {
    vi.stubGlobal('navigator', { userAgent });
    for (const hasExtension of [true, false]) {
      const facts = inspect(contextNamed(renderer, hasExtension));
      expect(facts).toMatchObject({ software, renderer: expect.stringContaining(renderer) });
    }
  });
});

it.each([
  ['gpu.js finds no WebGL2', {}],
  ['the context draws no float textures', { getExtension: () => null }],
  ['the context is lost at once', { isContextLost: () => true }],
  [
    'the GPU is asked for in vain',
    {
      getParameter() {
        throw new Error('not now');
      },
    },
  ],
])('an engine that cannot start leaves no context: %s', (_, broken) => {
  let [opened, lost] = [0, 0];
  const losing = { loseContext: () => void lost++ };
  vi.stubGlobal(
    'OffscreenCanvas',
    canvasOf(() => {
      opened++;
      const gl = contextNamed('Apple GPU', true);
      const { getExtension } = { ...gl, ...broken } as WebGL2RenderingContext;
      return {
        ...gl,
        ...broken,
        getExtension: (name: string) =>
          name === 'WEBGL_lose_context' ? losing : getExtension(name),
      };
    }),
  );
  vi.stubGlobal('navigator', { userAgent: MAC });
  const library = { WebGL2Kernel: { isSupported: false } };
  expect(() => Engine.open(library as never)).toThrow();
  expect([opened, lost]).toEqual([1, 1]);
});
