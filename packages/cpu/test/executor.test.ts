/** What a team does around a job. */

import { makeRequest } from '@keysweep/conformance/suite';
import { runInSlices } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';
import { arenaTeam } from '../src/pool/executor.js';
import type { Crew } from '../src/pool/thread-pool.js';
import { Board } from '../src/pool/work-queue.js';
import { Arena } from '../src/sort/arena.js';

it('ends a job that is aborted right after its keys were staged, before anybody waits for its result', async () => {
  const arena = new Arena();
  const told: string[] = [];
  const crew: Crew = {
    threads: 2,
    failed: false,
    idle: async () => {},
    begin: ({ places }) => {
      const board = new Board(arena.memory, places.boardAt, places.phases, 0);
      const stop = board.stop.bind(board);
      board.stop = () => {
        told.push('stopped');
        stop();
      };
      const finish = (): Promise<never> => {
        told.push('finish');
        return Promise.reject(new Error('stopped'));
      };
      return { board, finish };
    },
    touch: async () => {},
    close: async () => {},
  };
  const team = arenaTeam(arena, crew, () => (steps) => runInSlices(steps, () => Promise.resolve()));
  const abort = new AbortController();
  const keys = Uint32Array.of(3, 1, 2);
  const request = makeRequest('sort', [keys], {
    signal: abort.signal,
    onProgress: ({ phase }) => {
      if (phase === 'upload') queueMicrotask(() => abort.abort(new Error('enough')));
    },
  });
  await expect(team.sort(request)).rejects.toThrow('enough');
  expect(told).toEqual(['stopped']);
  expect(keys).toEqual(Uint32Array.of(3, 1, 2));
});

it('has help even where the caller leaves the event loop no time to hear of threads that have come up', async () => {
  const backend = cpu({ threads: 2 });
  const keys = new Uint32Array(2 ** 19 + 1);
  const seen: number[] = [];
  for (let sorts = 0; sorts < 300 && !seen.includes(2); sorts++) {
    for (let i = 0; i < keys.length; i++) keys[i] = i % 7;
    const { threads } = await backend.sort(makeRequest('sort', [keys]));
    seen.push(threads);
  }
  await backend.close();
  expect(seen[0]).toBe(1);
  expect(seen.at(-1)).toBe(2);
});
