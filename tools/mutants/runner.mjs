/** Processes that run test files, a few at a time; one that hangs is ended with all it started. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('tests.mjs', import.meta.url));
/** Every mutant is tried on the same data. */
const SEED = '1';

class Runner {
  #root;
  #bail;
  #scratch;
  #child;
  #settle = () => {};

  /** Runs test files of the copy at `root`, with `bail` each up to its first failure. */
  constructor(root, { bail }) {
    this.#root = root;
    this.#bail = bail;
  }

  /** What the tests of a file say, as tests.mjs; `hangs` is true after `limit` milliseconds. */
  async run(request, limit) {
    if (this.#child === undefined) await this.#start();
    const answer = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const late = { failure: 'hangs', hangs: true, tests: [] };
    const timer = setTimeout(() => this.#settle(late), limit);
    this.#child.send(request, () => {});
    const outcome = await answer;
    clearTimeout(timer);
    if (outcome.hangs || outcome.isGone) await this.end();
    return outcome;
  }

  async #start() {
    this.#scratch = await mkdtemp(join(tmpdir(), 'keysweep-mutants-'));
    // Some tests start programs as another user, who has to get there.
    await chmod(this.#scratch, 0o755);
    const env = { ...process.env, KEYSWEEP_SEED: SEED, TMPDIR: this.#scratch };
    const isReady = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // A group of its own: what tests leave running ends with it.
    this.#child = fork(PROGRAM, [this.#bail ? '1' : '0', join(this.#scratch, 'vite')], {
      cwd: this.#root,
      env,
      detached: true,
      stdio: 'ignore',
    });
    this.#child.on('message', (message) => this.#settle(message));
    const gone = { failure: 'its process ended', isGone: true, tests: [] };
    this.#child.on('exit', () => this.#settle(gone));
    if (!(await isReady).ready) throw new Error('the process of the tests did not start');
  }

  /** Ends the process and what it has started. */
  async end() {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const isGone = child.exitCode !== null || child.signalCode !== null;
    const exit = isGone ? undefined : once(child, 'exit');
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
    await exit;
    const how = { recursive: true, force: true, maxRetries: 3 };
    // A test that a mutant ends early may leave a mounted folder, which cannot be removed.
    await rm(this.#scratch, how).catch(() => {});
  }
}

/** Calls `work(item, runner)` for each item, on `jobs` runners at once. */
export async function onRunners(root, { jobs, bail }, items, work) {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const runner = new Runner(root, { bail });
      try {
        for (const item of queue) await work(item, runner);
      } finally {
        await runner.end();
      }
    }),
  );
}
