/** Passwords do not get out: in what addresses look like, and in every error of a store. */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalStore, runWorker, startLocalStore, submitSort } from '../dist/cluster.js';
import { checkFile, sortFile } from '../dist/index.js';
import { s3Storage } from '../dist/s3.js';
import { shownAddress, withoutSecrets } from '../dist/storage.js';
import { scratch } from './scratch.js';

const { path, write } = scratch();
const SECRET = 'hunter2-correct-horse';

/** What an error says anywhere: its message, its causes, and what drivers keep in it. */
const allOf = (error: unknown): string =>
  inspect(error, { depth: null, showHidden: true, maxStringLength: null });

/** The error of `work`, which has no secret in it. */
async function cleanError(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('nothing was thrown'),
    (thrown: Error) => thrown,
  );
  expect(allOf(error)).not.toContain(SECRET);
  expect(allOf(error)).not.toContain(encodeURIComponent(SECRET));
  return error;
}

describe('an address for people', () => {
  it.each([
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    [`redis://:${SECRET}@host:6379/1`, 'redis://host:6379/1'],
    [`rediss://user:${SECRET}@host`, 'rediss://host'],
    [`postgres://user:${SECRET}@host/db`, 'postgres://host/db'],
    [`postgresql://host/db?user=a&password=${SECRET}`, 'postgresql://host/db'],
    [`redis://host?password=${SECRET}@x`, 'redis://…'],
    [`redis://:${SECRET}/more@host`, 'redis://…'],
    [`redis://:${SECRET}#more@host`, 'redis://…'],
    [`redis://:${SECRET}?more@host`, 'redis://…'],
    [`redis://:${SECRET}@more@host`, 'redis://host'],
    [`redis://:${SECRET} more@host`, 'redis://host'],
    [`postgres://user:${SECRET}@[::1]:5432/db`, 'postgres://[::1]:5432/db'],
    [`http://key:${SECRET}@minio:9000/bucket?x=${SECRET}`, 'http://minio:9000/bucket'],
    [`s3://key:${SECRET}@bucket/a/b`, 's3://bucket/a/b'],
    [`s3://key:${SECRET}/more@bucket/a/b`, 's3://…'],
    ['s3://bucket/mail/a@b?c#d', 's3://bucket/mail/a@b?c#d'],
    ['file:///a/b@c?d', 'file:///a/b@c?d'],
    ['https://host/a@b', 'https://host/a@b'],
    ['/a/path@b', '/a/path@b'],
    ['', ''],
  ])('%j is %j', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  it.each([
    [`cannot reach 'redis://:${SECRET}@host': no`, "cannot reach 'redis://host': no"],
    [`got 'redis://:${SECRET} and '${SECRET}@host'. More`, "got 'redis://host'. More"],
    [`https://a:${SECRET}@b and s3://c:${SECRET}@d/e`, 'https://b and s3://d/e'],
    ["cannot read 's3://bucket/a@b': gone", "cannot read 's3://bucket/a@b': gone"],
    ['nothing to hide', 'nothing to hide'],
  ])('the text %j is %j', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  it('is found in a text of any length', () => {
    const password = 'x'.repeat(4000);
    const between = `${'redis:// '.repeat(1e4)}${' '.repeat(5000)}`;
    const text = `${'a.'.repeat(1e6)} ${between}redis://:${password}@host`;
    // In a process that can be ended: by the square of its length, a text takes an hour.
    const module = JSON.stringify(new URL('../dist/storage.js', import.meta.url).href);
    const script = `import { withoutSecrets } from ${module};
      import { readFileSync } from 'node:fs';
      process.stdout.write(withoutSecrets(readFileSync(0, 'utf8')));`;
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { input: text, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 120_000 },
    );
    expect(status).toBe(0);
    expect(stdout.endsWith('redis://host')).toBe(true);
    expect(stdout).not.toContain('xxxx');
    expect(stdout.startsWith('a.'.repeat(1e6))).toBe(true);
  });
});

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
    await cleanError(submitSort(connection, { ...plan, signal }));
  });
});

describe('credentials in an address of objects', () => {
  const address = `s3://AKIAEXAMPLE:${SECRET}@bucket/key`;
  it.each<[string, () => Promise<unknown>]>([
    ['read', () => checkFile(address, { type: 'u8', storage: s3Storage() })],
    ['written', () => sortFile(path('in'), address, { type: 'u8', storage: s3Storage() })],
    ['used without a storage', () => sortFile(address, path('out'), { type: 'u8' })],
    [
      'of another scheme',
      () => checkFile(`https://k:${SECRET}@h/b`, { type: 'u8', storage: s3Storage() }),
    ],
    [
      'used as tmp',
      () =>
        sortFile(path('in'), path('out'), {
          type: 'u8',
          storage: s3Storage(),
          tmp: address,
          memory: 65_536,
        }),
    ],
    ['in the wrong place', () => sortFile(path('in'), path('out'), { type: address } as never)],
    ['of a root', () => runWorker('redis://127.0.0.1:1', { roots: [address] })],
  ])('are refused, and not said, when it is %s', async (_, work) => {
    write('in', new Uint8Array(200_000));
    const { message } = await cleanError(work());
    expect(message).not.toBe('nothing was thrown');
  });

  it('are not said of a store that the environment names wrongly', async () => {
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
    try {
      for (const host of ['127.0.0.1:1', '127.0.0.1:99999', 'a b']) {
        vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://key:${SECRET}@${host}`);
        const storage = s3Storage();
        const error = await cleanError(checkFile('s3://bucket/key', { type: 'u8', storage }));
        expect(error.message).toMatch(/^cannot read 's3:\/\/bucket\/key': /);
      }
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
