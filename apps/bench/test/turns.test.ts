import { expect, it } from 'vitest';
import { takeTurns } from '../src/measure/turns.js';

it('takes turns on a new round each time, and counts all but the first', async () => {
  const calls: string[] = [];
  let round = 0;
  const turns = await takeTurns<number>(2, () => {
    const own = round++;
    const way = (name: string) => [name, () => calls.push(`${name}${own}`)] as const;
    return { ways: [way('a'), way('b')], isRight: () => true };
  });
  expect(calls).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  expect(turns.map(({ name, verified }) => [name, verified])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  for (const { milliseconds } of turns) {
    expect(milliseconds.length).toBe(2);
    for (const time of milliseconds) expect(time).toBeGreaterThanOrEqual(0);
  }
});

it('says which way was wrong once, beside what the others found', async () => {
  let round = 0;
  const turns = await takeTurns<number>(3, () => {
    const own = round++;
    return {
      ways: [
        ['right', async () => 7],
        ['wrong', () => (own === 1 ? 8 : 7)],
      ],
      isRight: (result, results) => result === results.get('right'),
    };
  });
  expect(turns.map(({ verified }) => verified)).toEqual([true, false]);
});
