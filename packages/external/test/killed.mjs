/**
 * Sorts a file, and is killed when it has told `count` times that it is at a stage:
 * node killed.mjs '{ "input", "output", "options", "phase", "count" }'
 */
import { sortFile } from '../dist/index.js';

const { input, output, options, phase, count } = JSON.parse(process.argv[2]);
let seen = 0;
await sortFile(input, output, {
  ...options,
  onProgress: (progress) => {
    if (progress.phase === phase && ++seen === count) process.kill(process.pid, 'SIGKILL');
  },
});
