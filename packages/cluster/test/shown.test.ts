/** Passwords do not get out: no error of a store says one. */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratch } from '../../external/test/scratch.js';
import { allOf, cleanError, SECRET } from '../../external/test/secret.js';
import { type LocalStore, runWorker, startLocalStore, submitSort } from '../dist/index.js';

const { path, write } = scratch();

describe('the password of a store', () => {
  let local: LocalStore;
  let servers: readonly Server[];
  let [refusing, echoing, silent] = ['', '', ''];
  const sockets = new Set<Socket>();

  /** A server that answers every command of Redis the same. */
  async function redisThatSays(answer: (command: string) => string): Promise<[Server, string]> {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      // One answer for each command of those that came together.
      socket.on('data', (data) => {
        for (const command of data.toString().split(/(?=^\*)/m)) socket.write(answer(command));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return [server, `127.0.0.1:${(server.address() as { port: number }).port}`];
  }

  beforeAll(async () => {
    local = await startLocalStore();
    const started = await Promise.all([
      redisThatSays(() => '-WRONGPASS invalid username-password pair\r\n'),
      // As a Redis before users were known, and some proxies.
      redisThatSays((command) => {
        const words = command.split('\r\n').filter((word) => /^[^*$]/.test(word));
        return `-ERR unknown command, with args beginning with: ${words.join(' ')}\r\n`;
      }),
      redisThatSays(() => ''),
    ]);
    servers = started.map(([server]) => server);
    [refusing, echoing, silent] = started.map(([, at]) => at) as [string, string, string];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
    await local.stop();
  });

  const at = (host: () => string, scheme: string, rest = '') => {
    return () => `${scheme}://user:${SECRET}@${host()}${rest}`;
  };
  const postgres = () => new URL(local.connection).host;
  const stores: readonly (readonly [name: string, address: () => string])[] = [
    ['a closed port, of Redis', at(() => '127.0.0.1:1', 'redis')],
    ['a closed port, of PostgreSQL', at(() => '127.0.0.1:1', 'postgres', '/db')],
    ['a host that is none', at(() => 'nowhere.invalid', 'redis')],
    ['a host that is none, of PostgreSQL', at(() => 'nowhere.invalid', 'postgres', '/db')],
    ['Redis that refuses the password', at(() => refusing, 'redis')],
    ['Redis that says the command', at(() => echoing, 'redis')],
    ['Redis that says the command, by TLS', at(() => echoing, 'rediss')],
    ['PostgreSQL with a wrong password', at(postgres, 'postgres', '/postgres')],
    ['PostgreSQL with a wrong database', () => local.connection.replace(/postgres$/, 'no')],
    ['PostgreSQL with a file that is none', at(postgres, 'postgres', '/db?sslcert=/no/file')],
    ['a password that cannot be decoded', () => `postgres://u:%E0%A4%A${SECRET}@127.0.0.1:1/db`],
    ['the same, of Redis', () => `redis://u:%E0%A4%A${SECRET}@127.0.0.1:1/db`],
    ['a password in the query', () => `redis://127.0.0.1:1?password=${SECRET}`],
    ['a password with a slash', () => `redis://user:1/${SECRET}@127.0.0.1:1`],
    ['a port that is none', at(() => '127.0.0.1:99999', 'redis')],
    ['another scheme', at(() => '127.0.0.1', 'http')],
    ['a scheme without slashes', () => `redis:user:${SECRET}@127.0.0.1`],
    ['nothing but the password', () => SECRET],
    ['a host and a password', () => `localhost ${SECRET}`],
  ];

  it.each(stores)('is not in the errors of %s', async (_, address) => {
    const connection = address();
    // The local store's own password is made up.
    const { password } = URL.canParse(connection) ? new URL(connection) : { password: '' };
    const told: Error[] = [];
    const plan = {
      input: write('in', new Uint8Array(8)),
      output: path('out'),
      type: 'u8',
    } as const;
    const onError = (error: Error): void => void told.push(error);
    const errors = await Promise.all([
      cleanError(submitSort(connection, plan)),
      cleanError(runWorker(connection, { roots: [path('')], onError })),
    ]);
    for (const error of [...errors, ...told]) {
      expect(error.message).not.toBe('nothing was thrown');
      if (password !== '') expect(allOf(error)).not.toContain(password);
      expect(error.message).not.toMatch(/\n/);
    }
    expect(errors[0]?.message).toMatch(
      /^cannot reach the store at |^connection must be an address/,
    );
  });

  it('is not in the error of a submitter that gives up waiting', async () => {
    const signal = AbortSignal.timeout(200);
    const connection = `redis://user:${SECRET}@${silent}`;
    const plan = {
      input: write('in', new Uint8Array(8)),
      output: path('out'),
      type: 'u8',
    } as const;
    const ends = runWorker(connection, { roots: [path('')], signal });
    expect(await cleanError(submitSort(connection, { ...plan, signal }))).toBe(signal.reason);
    await ends;
  });
});

it('refuses credentials in the address of a root, and does not say them', async () => {
  const root = `s3://AKIAEXAMPLE:${SECRET}@bucket/key`;
  const { message } = await cleanError(runWorker('redis://127.0.0.1:1', { roots: [root] }));
  expect(message).not.toBe('nothing was thrown');
});
