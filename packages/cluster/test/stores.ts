/** Stores of jobs for tests: PostgreSQL of npm, and Redis where there is one. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startLocalStore } from '../dist/index.js';
import { freePort } from '../dist/store/free-port.js';

export interface TestStore {
  readonly connection: string;
  /** Kills it, and starts it again with what it had. */
  restart(): Promise<void>;
  /** Connections to it that have `name` in their names, but for the one that counts. */
  connections(name?: string): Promise<number>;
  stop(): Promise<void>;
}

export async function postgresStore(): Promise<TestStore> {
  const { connection, stop } = await startLocalStore();
  const query = async (text: string): Promise<Record<string, unknown>> => {
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows[0];
  };
  return {
    connection,
    async restart() {
      const { data_directory: folder } = await query('show data_directory');
      const [pid] = readFileSync(join(folder as string, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      for (let answer: unknown; answer === undefined; ) {
        await delay(100);
        answer = await query('select 1').catch(() => undefined);
      }
    },
    async connections(name = '') {
      const others = "backend_type = 'client backend' and pid <> pg_backend_pid()";
      const named = `${others} and application_name like '%${name}%'`;
      const { count } = await query(`select count(*) from pg_stat_activity where ${named}`);
      return Number(count);
    },
    stop,
  };
}

/** Where tools/install/redis.mjs puts the packages of Debian. */
const UNPACKED = fileURLToPath(
  new URL('../../../node_modules/.cache/keysweep/redis/usr', import.meta.url),
);

/** How Redis is started here; undefined where there is none. */
export function redisProgram(): { file: string; env: NodeJS.ProcessEnv } | undefined {
  if (spawnSync('redis-server', ['--version']).status === 0) {
    return { file: 'redis-server', env: process.env };
  }
  const file = join(UNPACKED, 'bin/redis-server');
  const libraries = ['x86_64', 'aarch64'].map((of) => join(UNPACKED, `lib/${of}-linux-gnu`));
  if (!existsSync(file)) return undefined;
  return { file, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } };
}

export async function redisStore(): Promise<TestStore> {
  const program = redisProgram();
  if (program === undefined) throw new Error('there is no redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-redis-'));
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', save: '' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const connection = `redis://127.0.0.1:${port}`;
  const ask = async <T>(question: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(connection, { retryStrategy: () => 100, maxRetriesPerRequest: 100 });
    client.on('error', () => {});
    return question(client).finally(() => client.disconnect());
  };
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(program.file, args, { env: program.env, stdio: 'ignore' });
    await ask((client) => client.ping());
    return child;
  };
  const end = async (): Promise<void> => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  let server = await start();
  return {
    connection,
    async restart() {
      await end();
      server = await start();
    },
    connections: (name = '') =>
      ask(async (client) => {
        const own = await client.client('ID');
        const list = ((await client.client('LIST')) as string).trim().split('\n');
        const others = list.filter((line) => !line.startsWith(`id=${own} `));
        return others.filter((line) => (/ name=(\S*)/.exec(line)?.[1] ?? '').includes(name)).length;
      }),
    async stop() {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A way to a store that can be cut. */
export class Line {
  readonly connection: string;
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets: Set<Socket>;

  private constructor(connection: string, server: Server, port: number, sockets: Set<Socket>) {
    this.connection = connection;
    this.#server = server;
    this.#port = port;
    this.#sockets = sockets;
  }

  static async to(connection: string): Promise<Line> {
    const target = new URL(connection);
    const { hostname: host } = target;
    const storePort = Number(target.port);
    const port = await freePort();
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      const other = connect(storePort, host);
      for (const [one, two] of [
        [socket, other],
        [other, socket],
      ] as const) {
        sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          sockets.delete(one);
          two.destroy();
        });
        one.pipe(two);
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    target.port = `${port}`;
    return new Line(target.href, server, port, sockets);
  }

  /** Nothing comes through for so long: connections are broken, new ones refused. */
  async cut(milliseconds: number): Promise<void> {
    await this.close();
    await delay(milliseconds);
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
