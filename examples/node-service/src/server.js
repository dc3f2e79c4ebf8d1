/** POST /sort?type=f32: the body is numbers, and so is the answer, in order. */

import { tmpdir } from 'node:os';
import { sortFile } from '@keysweep/external';
import Fastify from 'fastify';
import { createSorter } from 'keysweep';

/** Bytes of a number of each type. */
const TYPES = { u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8 };

/** @typedef {{ type: keyof typeof TYPES, order?: 'ascending' | 'descending' }} Query */
const querystring = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: Object.keys(TYPES) },
    order: { enum: ['ascending', 'descending'] },
  },
};

/** An error that Fastify answers with this status. */
const failure = (statusCode, message) => Object.assign(new Error(message), { statusCode });

/** The upload, piece by piece, as long as it is what was announced. */
async function* checked(upload, width, maxBytes) {
  let bytes = 0;
  // Without this option a refusal would close the connection before it is answered.
  for await (const piece of upload.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > maxBytes) throw failure(413, `an upload has at most ${maxBytes} bytes`);
    yield piece;
  }
  if (bytes % width !== 0) throw failure(400, `${bytes} bytes are no multiple of ${width}`);
}

/**
 * The service. Each sort takes `memory` bytes, and what does not fit goes to temporary files in
 * `tmp`. So the process stays within about `atOnce` × `memory`, whatever is uploaded. One `sorter`
 * serves all requests, because it owns the threads; the service closes it.
 */
export async function makeServer({
  memory = 64e6,
  atOnce = 2,
  maxBytes = 4e9,
  tmp = tmpdir(),
  sorter: given = createSorter(),
  logger = false,
} = {}) {
  const server = Fastify({ logger });
  const sorter = await given;
  server.addHook('onClose', () => sorter.close());
  // The body is not collected: it is read while it comes. Fastify's own parsers of JSON and text
  // would take it away from the sort; without them such a body gets status 415.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/octet-stream', (_request, _body, done) => done(null));

  let running = 0;
  server.get('/health', () => ({ running }));

  server.post('/sort', { schema: { querystring } }, async (request, reply) => {
    if (running === atOnce) {
      reply.header('Retry-After', '1');
      throw failure(503, `${atOnce} sorts are running: try again`);
    }
    const { type, order } = /** @type {Query} */ (request.query);
    // Where the client goes away, the sort ends, and removes its temporary files.
    const client = new AbortController();
    reply.raw.once('close', () => client.abort(new Error('the client has gone')));

    running++;
    try {
      await sortFile(checked(request.raw, TYPES[type], maxBytes), answer(reply, client.signal), {
        type,
        order,
        memory,
        tmp,
        sorter,
        signal: client.signal,
        onReport: ({ bytes, parts, milliseconds }) =>
          request.log.info({ bytes, parts, milliseconds: milliseconds.total }, 'sorted'),
      });
      startAnswer(reply);
      reply.raw.end();
    } catch (error) {
      if (client.signal.aborted) request.log.info('the client has gone');
      // A broken answer must not look whole: the connection is cut.
      else if (reply.raw.headersSent) reply.raw.destroy(error);
      else throw error;
    } finally {
      running--;
    }
    return reply;
  });
  return server;
}

/** Sends the headers, with the first sorted bytes: until then an error has a status of its own. */
function startAnswer(reply) {
  if (reply.raw.headersSent) return;
  reply.hijack();
  reply.raw.writeHead(200, { 'Content-Type': 'application/octet-stream' });
}

/** Takes sorted bytes. They may be overwritten once the promise resolves, so it waits. */
const answer = (reply, signal) => ({
  async write(bytes) {
    startAnswer(reply);
    await new Promise((resolve, reject) => {
      // A response whose connection has just closed never calls back for what is written to it.
      const give = () => reject(signal.reason);
      signal.addEventListener('abort', give);
      reply.raw.write(bytes, (error) => {
        signal.removeEventListener('abort', give);
        if (error) reject(error);
        else resolve(undefined);
      });
    });
  },
});
