import { describe, expect, it } from 'vitest';
import { optionsOf } from '../src/commands/gpu.js';
import { combined, groupsOf } from '../src/gpu/inputs/definitions.js';
import { parseReference, referenceFor } from '../src/gpu/reference.js';

it('keys that differ only in their distribution are measured in a group', () => {
  const all = combined({
    lengths: [16, 32],
    keyTypes: ['u32', 'u64'],
    distributions: ['random', 'few'],
  });
  const groups = groupsOf(all);
  expect(groups.flat()).toEqual(all);
  expect(groups.map((group) => group.length)).toEqual(Array.from({ length: 8 }, () => 2));
  for (const group of groups) {
    expect(new Set(group.map((one) => JSON.stringify({ ...one, distribution: '' }))).size).toBe(1);
  }
});

describe('the options of gpu', () => {
  it('combines what is given', () => {
    const { definitions } = optionsOf([
      '--sizes',
      '4,5',
      '--types',
      'f32',
      '--distributions',
      'few',
    ]);
    expect(definitions).toEqual(
      combined({ lengths: [16, 32], keyTypes: ['f32'], distributions: ['few'] }),
    );
    expect(definitions).toHaveLength(4);
  });

  it('asks for timestamps unless the host is to tell the time', () => {
    expect(optionsOf([]).machine.timestamps).toBe(true);
    expect(optionsOf(['--clock', 'host']).machine.timestamps).toBe(false);
    expect(optionsOf(['--clock', 'host', '--kernels']).machine.timestamps).toBe(true);
  });

  it.each([
    [['--distributions', 'random,odd'], "got 'odd'"],
    [['--keys', '/nowhere'], "files named TYPE-KIND.LOG2, such as f32-unit.26: got '/nowhere'"],
    [['--keys', '/f16-unit.3'], "got '/f16-unit.3'"],
    [['--keys', '/nowhere/f32-unit.3'], 'ENOENT'],
    [['--keys', 'f32-unit.3', '--types', 'f32'], '--keys takes no --sizes, --types'],
    [['f32-unit.3'], "Unexpected argument 'f32-unit.3'"],
    [['--clock', 'sun'], "--clock takes gpu, host: got 'sun'"],
    [['--reference', '/nowhere'], '--reference /nowhere: ENOENT'],
  ])('refuses %j', (args, message) => {
    expect(() => optionsOf(args)).toThrow(message);
  });
});

const LINE = 'cub u32-uniform.26 keys 1.420 ms | pairs 2.188 ms';

describe('parseReference', () => {
  it('reads the times of files of keys, and the version', () => {
    const text = '# a GPU, CUDA 13.0, CUB 3.6.0\ncub f64-unit.24 keys 1.15 ms | pairs 1.5 ms\n';
    const about = { name: 'cub', version: '3.6.0', keyType: 'f64', distribution: 'unit' };
    expect(parseReference(text)).toEqual([
      { ...about, operation: 'sort', length: 2 ** 24, milliseconds: 1.15 },
      { ...about, operation: 'sortPairs', length: 2 ** 24, milliseconds: 1.5 },
    ]);
  });

  it('leaves out what is around them', () => {
    const text = `NVIDIA H200\r\n${LINE}\r\n\nstd::sort u32-entropy-0.201.16 keys 0.030 ms\ndone\n`;
    const read = parseReference(text).map(({ name, distribution, length }) =>
      [name, distribution, Math.log2(length)].join(' '),
    );
    const own = 'cub uniform 26';
    expect(read).toEqual([own, own, 'std::sort entropy-0.201 16']);
  });

  it.each([
    ['', 'no line such as'],
    ['CUDA out of memory line 20', 'no line such as'],
    ['cub f32-unit.26 keys', "no milliseconds in 'cub f32-unit.26 keys'"],
    ['cub f32-unit.26 keys 0.000 ms', 'no milliseconds'],
    ['cub f32-unit.26 keys 420 us', 'no milliseconds'],
    ['cub f32-unit.26 copy 4.2 ms', 'no keys or pairs'],
    ['cub f16-unit.26 keys 4.2 ms', 'no line such as'],
  ])('refuses %j', (text, message) => {
    expect(() => parseReference(text)).toThrow(message);
  });
});

describe('referenceFor', () => {
  const wanted = { operation: 'sort', keyType: 'u32', length: 2 ** 26, distribution: 'random' };
  const times = parseReference(`${LINE}\n${LINE.replace('1.420', '1.390')}\n${LINE}`);

  it('is the fastest of several runs', () => {
    expect(referenceFor(times, wanted)?.milliseconds).toBe(1.39);
    const pairs = { ...wanted, operation: 'sortPairs', distribution: 'uniform' };
    expect(referenceFor(times, pairs)?.milliseconds).toBe(2.188);
  });

  it.each([
    { length: 2 ** 25 },
    { keyType: 'f32' },
    { distribution: 'sorted' },
    { operation: 'argsort' },
  ])('is nothing for %j', (change) => {
    expect(referenceFor(times, { ...wanted, ...change })).toBeUndefined();
  });
});
