import { makeServer } from './server.js';

const server = await makeServer({ logger: true });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
await server.listen({ port: Number(process.env.PORT ?? 8080) });
