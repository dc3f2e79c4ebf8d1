/** Passwords do not get out: neither in what addresses look like, nor in errors of objects. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { checkFile, sortFile } from '../dist/index.js';
import { secretsIn } from '../dist/internal.js';
import { s3Storage } from '../dist/s3.js';
import { shownLine, withoutSecretsIn } from '../dist/shown.js';
import { shownAddress, startWithoutSecrets, withoutSecrets } from '../dist/storage.js';
import { scratch } from './scratch.js';
import { allOf, cleanError, SECRET } from './secret.js';

const { path, write } = scratch();

describe('the start of a long text', () => {
  const secret = SECRET.repeat(10);

  it('shows no password that was cut', () => {
    for (let before = 15_000; before < 22_000; before += 7) {
      // The addresses in front shrink, so that the end of what was looked at comes near.
      const others = `redis://:${'p'.repeat(4000)}@h\n`.repeat(6).slice(-before);
      const text = `${others}redis://:${secret}@host`;
      const start = startWithoutSecrets(`${text}${' x'.repeat(20_000)}`, 1000);
      expect(start).not.toContain(SECRET);
    }
  });

  it('is found without the rest', () => {
    const text = `first ${'redis:// '.repeat(10_000_000)}`;
    expect(startWithoutSecrets(text, 1000).startsWith('first redis:// redis:// ')).toBe(true);
    expect(startWithoutSecrets('short', 1000)).toBe('short');
    // So much of it is looked at: a text that ends there is whole.
    const whole = 'x'.repeat(1000 + 2 * 8192);
    expect(startWithoutSecrets(whole, 1000)).toBe(whole);
    expect(startWithoutSecrets(`${whole}x`, 1000)).toBe(`${'x'.repeat(1000 + 8192)}…`);
  });
});

describe('what is secret in an address', () => {
  it('comes the longest first, because one may be a part of another', () => {
    const address =
      'redis://user:pass%20word@host?password=pass&token=pass%20word-and-more&db=12345';
    const secrets = secretsIn(address);
    expect(secrets).toEqual(secrets.toSorted((a, b) => b.length - a.length));
    expect(new Set(secrets)).toEqual(
      new Set([address, 'pass%20word', 'pass word', 'pass', 'pass word-and-more']),
    );
    expect(secretsIn('redis://host?db=12345')).toEqual([]);
    // Too short to be looked for.
    expect(secretsIn('redis://:abc@host')).toEqual([]);
  });
});

describe('an error of a driver', () => {
  const made = (message: string, more: object = {}): Error =>
    Object.assign(new TypeError(message), more);

  it('is another one without a secret that is anywhere in it', () => {
    const deep = { a: { b: { c: `AUTH ${SECRET}` } } };
    const hidden = Object.defineProperty(made('why'), 'command', { value: SECRET });
    const errors = [
      ...[made(`no ${SECRET} and ${SECRET}`), made('why', { command: { args: [SECRET] } })],
      ...[made('why', { deep }), made('why', { cause: made(SECRET) }), hidden],
      ...[made(`to redis://:${SECRET}x@host`), made('why', { input: `http://u:${SECRET}@[` })],
    ];
    for (const error of errors) {
      const clean = withoutSecretsIn(Object.assign(error, { code: 'ENO' }), [SECRET]);
      expect(clean).not.toBe(error);
      expect(allOf(clean)).not.toContain(SECRET);
      expect(clean).toMatchObject({ name: 'TypeError', code: 'ENO' });
      expect(clean.message).toBe(
        error.message.replaceAll(`:${SECRET}x@`, '').replaceAll(SECRET, '…'),
      );
    }
    expect('code' in withoutSecretsIn(made(SECRET), [SECRET])).toBe(false);
  });

  it('is the same one if there is none', () => {
    const error = made('to redis://host', { code: 'ENO', input: 'text', a: { b: 1 } });
    expect(withoutSecretsIn(error, [SECRET])).toBe(error);
    expect(withoutSecretsIn(error, [])).toBe(error);
    // An address that holds a password, though nobody has said that it is a secret.
    const said = withoutSecretsIn(made('to redis://:other@host'), []);
    expect(said.message).toBe('to redis://host');
  });
});

describe('a text from elsewhere', () => {
  it('is one line, without what a terminal obeys, and no longer than fits on a page', () => {
    expect(shownLine(' a\u0007b\r\n\n c\u001b[31md\u2028e\u200f ')).toBe('a b  c [31md e');
    expect(shownLine(undefined)).toBe('undefined');
    expect(shownLine(new Error('why'))).toBe('Error: why');
    const most = 'x'.repeat(1000);
    expect(shownLine(most)).toBe(most);
    expect(shownLine(`${most}y`)).toBe(`${most}…`);
    expect(shownLine(`${most.repeat(30)}y`)).toBe(`${most}…`);
    expect(shownLine(`to redis://:${SECRET}@host:6379\nno`)).toBe('to redis://host:6379 no');
    expect(shownLine(`file:///a?b ${'http://u:p@h'}`)).toBe('file:///a?b http://h');
  });
});

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
    // A password that was not encoded ends at the last '@', in each kind of store.
    ...['redis', 'rediss', 'postgres', 'postgresql', 'Postgres'].map((scheme): [string, string] => [
      `at ${scheme}://u:${SECRET} ' "x@host/db, or not`,
      `at ${scheme}://host/db, or not`,
    ]),
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

it.each<[string, readonly string[]]>([
  ['postgres://user:first-word@host/db', ['first-word']],
  ['postgres://host/db?user=anna&password=second-word', ['second-word']],
  ['postgres://host/db?sslmode=require&sslPassword=a%20b%20c', ['a b c']],
  ['redis://:first%2Fword@host?x=1&api_token=third-word#key=no-word', ['first/word', 'third-word']],
  ['postgres://user:abc@host/db?sslmode=require', []],
  ['postgres://host/db?sslmode=verify-full', []],
])('the secrets in %j are %j', (address, secrets) => {
  const found = secretsIn(address);
  expect(found).toEqual(expect.arrayContaining([...secrets]));
  // The address itself is said of none that has secrets, and raw forms as well as decoded ones.
  expect(found.includes(address)).toBe(secrets.length > 0);
  for (const word of ['anna', 'require', 'verify-full', 'no-word']) {
    expect(found).not.toContain(word);
  }
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
