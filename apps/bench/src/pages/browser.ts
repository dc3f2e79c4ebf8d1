/** Chromium by its DevTools protocol over a pipe: no package is needed on the machine. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Program } from './program.js';

type Params = Readonly<Record<string, unknown>>;

/** A message of the protocol, as far as it is looked at. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly args?: readonly { readonly value?: unknown }[] };
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

export class Browser {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #waiting: Map<number, Waiting> = new Map();
  /** Rejects when it ends. */
  readonly ended: Promise<never>;
  #calls = 0;
  #session: string | undefined;

  /** Starts the browser with a new profile, which `close` removes. */
  static async start(executable: string, flags: readonly string[]): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'keysweep-chromium-'));
    const args = [
      ...flags,
      '--log-level=3',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
    ];
    // The pipe is file descriptors 3 and 4.
    const stdio = ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] as const;
    return new Browser(spawn(executable, args, { stdio: [...stdio] }), profile);
  }

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process;
    this.#profile = profile;
    this.ended = new Promise((_, reject) => {
      const fail = (what: string): void => {
        const error = new Error(what);
        for (const { reject } of this.#waiting.values()) reject(error);
        this.#waiting.clear();
        reject(error);
      };
      process.on('error', (error) => fail(`the browser did not start: ${error.message}`));
      process.on('exit', (code) => fail(`the browser ended with code ${code}`));
    });
    this.ended.catch(() => {});
    let text = '';
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (piece: string) => {
      const messages = (text + piece).split('\0');
      text = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** Opens a page, and waits at most a minute until the expression `isReady` is true in it. */
  async open(url: string, isReady: string): Promise<void> {
    // A page may ask for the GPU as it is loaded: this waits until its process has answered.
    await this.call('SystemInfo.getInfo');
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    this.#session = String(sessionId);
    await this.call('Runtime.enable');
    await this.call('Page.enable');
    await this.call('Page.navigate', { url });
    for (let tries = 0; (await this.evaluate(isReady)) !== true; tries++) {
      if (tries === 600) throw new Error(`${url} was not ready in a minute`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** The value of `expression` in the page, awaited. What the page logs meanwhile is printed. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = (await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as {
      result: { value: Value };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    // Processes of its own may still write there for a moment.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Sends a command of the protocol, to the page if one is open. Resolves to its result. */
  call(method: string, params: Params = {}): Promise<Params> {
    const id = ++this.#calls;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const message = JSON.stringify({ id, method, params, ...session });
      (this.#process.stdio[3] as Writable).write(`${message}\0`);
    });
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method === 'Runtime.consoleAPICalled') {
      console.log((params?.args ?? []).map(({ value }) => String(value)).join(' '));
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id as number);
    if (error === undefined) waiting.resolve(result ?? {});
    else waiting.reject(new Error(error.message));
  }
}

/** Opens `url` in a new Chromium and lets go of the page, so that nothing watches it. */
export async function startChromium(
  url: string,
  executable: string,
  flags: readonly string[],
): Promise<Pick<Program, 'ended' | 'close'>> {
  const browser = await Browser.start(executable, flags);
  await browser.call('Target.createTarget', { url });
  return { ended: browser.ended, close: () => browser.close() };
}
