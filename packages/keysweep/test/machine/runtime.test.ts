/** Which runtime and engine are told from which globals. */

import { describe, expect, it } from 'vitest';
import { runtimeOf, thisRuntime } from '../../dist/machine/runtime.js';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)';
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const BLINK = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';

describe('kernels', () => {
  const works = class {};
  const forbidden = class {
    constructor() {
      throw new Error('a policy forbids WebAssembly');
    }
  };

  it.each([
    ['wasm', { WebAssembly: { Module: works, Instance: works } }],
    ['plain', { WebAssembly: { Module: forbidden, Instance: forbidden } }],
    // WebKit.
    ['plain', { WebAssembly: { Module: works, Instance: forbidden } }],
    ['plain', { process: { versions: {}, execArgv: ['--no-warnings', '--no-expose-wasm'] } }],
    ['plain', { process: { versions: {}, execArgv: ['--noexpose_wasm'] } }],
    ['interpreted', { process: { versions: {}, execArgv: ['--jitless'] } }],
    // Apple's Lockdown Mode.
    ['interpreted', { navigator: { userAgent: `${IPHONE} ${WEBKIT}` } }],
  ] as const)('run as %s by these globals', (kernels, globals) => {
    expect(runtimeOf(globals).kernels).toBe(kernels);
  });

  it('run as WebAssembly here', () => {
    expect(thisRuntime().kernels).toBe('wasm');
  });
});

describe('the runtime', () => {
  it.each([
    ['Bun 1.4.5', { process: { versions: { bun: '1.4.5', node: '24.3.0' } } }, 'JavaScriptCore'],
    [
      'Deno 2.9.6',
      { process: { versions: { node: '24.2.0' } }, Deno: { version: { deno: '2.9.6' } } },
      'V8',
    ],
    ['Node.js 20.20.2', { process: { versions: { node: '20.20.2' } } }, 'V8'],
    // Node.js 21 and later, and pages simulated in it.
    [
      'Node.js 24.1.0',
      {
        process: { versions: { node: '24.1.0' } },
        navigator: { userAgent: 'Mozilla/5.0 (linux) AppleWebKit/537.36 jsdom/26.1.0' },
      },
      'V8',
    ],
    ['an unknown runtime', {}, 'unknown'],
    // What bundlers put in the place of Node's process.
    ['an unknown runtime', { process: { versions: {} }, navigator: {} }, 'unknown'],
  ] as const)('%s is told from its globals', (runtime, globals, engine) => {
    expect(runtimeOf(globals)).toMatchObject({ runtime, engine });
  });

  it.each([
    ['Chrome 147', `${BLINK} Chrome/147.0.0.0 Safari/537.36`, 'V8'],
    ['Chrome 147', `${BLINK} HeadlessChrome/147.0.7727.15 Safari/537.36`, 'V8'],
    ['Edge 147', `${BLINK} Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0`, 'V8'],
    ['Edge 147', `${BLINK} Chrome/147.0.0.0 Mobile Safari/537.36 EdgA/147.0.0.0`, 'V8'],
    ['Opera 125', `${BLINK} Chrome/147.0.0.0 Safari/537.36 OPR/125.0.0.0`, 'V8'],
    [
      'Firefox 153',
      'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
      'SpiderMonkey',
    ],
    ['Safari 18.5', `${MAC} ${WEBKIT} Version/18.5 Safari/605.1.15`, 'JavaScriptCore'],
    ['Safari 26', `${IPHONE} ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`, 'JavaScriptCore'],
    [
      'Chrome for iOS 147',
      `${IPHONE} ${WEBKIT} CriOS/147.0.0.0 Mobile/15E148 Safari/604.1`,
      'JavaScriptCore',
    ],
    [
      'Firefox for iOS 153',
      `${IPHONE} ${WEBKIT} FxiOS/153.0 Mobile/15E148 Safari/604.1`,
      'JavaScriptCore',
    ],
    [
      'Edge for iOS 147',
      `${IPHONE} ${WEBKIT} Version/18.0 EdgiOS/147.0.0.0 Mobile/15E148 Safari/604.1`,
      'JavaScriptCore',
    ],
    ['WebKit 605.1.15', `${IPHONE} ${WEBKIT} Mobile/15E148`, 'JavaScriptCore'],
    // GNOME Web and others of WebKitGTK.
    [
      'WebKit 605.1.15',
      `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Version/60.5 Safari/605.1.15`,
      'JavaScriptCore',
    ],
    ['an unknown runtime', 'curl/8.0', 'unknown'],
  ] as const)('%s is told from its user agent', (runtime, userAgent, engine) => {
    expect(runtimeOf({ navigator: { userAgent } })).toMatchObject({ runtime, engine });
  });

  it.each([
    ['1.4.5', true],
    ['1.4.2', true],
    ['1.4.1', true],
    ['1.4.2-canary.20260916.1', true],
    ['1.10.0', true],
    ['2.0.0', true],
    ['1.4.0', false],
    ['1.3.14', false],
    ['0.9.0', false],
  ])('of Bun %s has a radix sort: %s', (bun, hasRadixSort) => {
    expect(runtimeOf({ process: { versions: { bun } } }).hasRadixSort).toBe(hasRadixSort);
  });
});
