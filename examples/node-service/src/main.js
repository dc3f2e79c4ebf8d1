import { makeServer } from './server.js';

const server = await makeServer({ logger: true });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
try {
  await server.listen({ port: Number(process.env.PORT ?? 8080) });
} catch ({ message }) {
  console.error(`${message}\nAnother port: PORT=9000 npm run example -- node-service`);
  await server.close();
  process.exitCode = 1;
}
