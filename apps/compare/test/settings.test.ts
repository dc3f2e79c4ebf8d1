import { expect, it } from 'vitest';
import { fromHash, toHash } from '../src/settings/permalink.js';
import { DEFAULTS, entropyOf, type Settings, settingsFrom } from '../src/settings/settings.js';

const UNUSUAL: Settings = {
  keyType: 'f64',
  payload: 'indices',
  order: 'descending',
  distribution: 'nearly-sorted',
  words: 3,
  lengths: [1, 1000, 2 ** 26],
  samples: 11,
  patience: 60,
  seed: 4_294_967_295,
  rivals: ['cpu', 'resident'],
  software: true,
  calibrate: true,
};

it.each([
  ['the defaults', DEFAULTS],
  ['others', UNUSUAL],
  ['no rivals', { ...DEFAULTS, rivals: [] }],
])('round-trips settings through a permalink: %s', (_, settings) => {
  expect(fromHash(toHash(settings))).toEqual(settings);
});

it('writes a permalink without escapes', () => {
  expect(toHash(UNUSUAL)).toMatch(/^#[\w=&,.-]+$/);
  expect(toHash(UNUSUAL)).toContain('lengths=1,1000,67108864');
});

it('takes the default for what a link lacks or has wrong', () => {
  expect(fromHash('')).toEqual(DEFAULTS);
  expect(fromHash('#measure')).toEqual(DEFAULTS);
  const bad =
    '#keyType=u99&payload=all&samples=0&seed=-1&lengths=0,x,1e99&words=9&order=up&rivals=gpu';
  expect(fromHash(bad)).toEqual({ ...DEFAULTS, rivals: [] });
  expect(fromHash('#lengths=64,8,64,1.5,x').lengths).toEqual([8, 64]);
  expect(settingsFrom({ lengths: 'all', software: 1 })).toEqual(DEFAULTS);
});

it('computes the entropies of Thearling and Smith', () => {
  const rounded = [1, 2, 3, 4, 5].map((words) => Number(entropyOf(words, 1).toFixed(3)));
  expect(rounded).toEqual([1, 0.811, 0.544, 0.337, 0.201]);
});
