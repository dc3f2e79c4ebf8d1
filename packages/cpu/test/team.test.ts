/** What a team does around a job. */

import { makeRequest } from '@keysweep/conformance/suite';
import { runInSlices } from '@keysweep/core';
import { expect, it } from 'vitest';
import { Arena } from '../src/arena.js';
import { Board } from '../src/board.js';
import type { Crew } from '../src/crew.js';
import { arenaTeam } from '../src/team.js';

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
