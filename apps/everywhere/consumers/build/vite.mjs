// vite.mjs PACKAGE build FOLDER: a page. Prints what Vite warned of.
// vite.mjs PACKAGE dev HEADERS: serves a page. Prints its address, and what Vite warns of on
// standard error.
const [name, command, argument] = process.argv.slice(2);
const { build, createLogger, createServer } = await import(name);
const options = { root: 'page', configFile: false, cacheDir: `node_modules/.${name}` };

if (command === 'build') {
  const warnings = [];
  const note = (message) => warnings.push(message);
  const customLogger = createLogger('warn', { console: { log: note, warn: note, error: note } });
  await build({
    ...options,
    customLogger,
    logLevel: 'warn',
    build: { outDir: argument, emptyOutDir: true },
  });
  console.log(JSON.stringify(warnings));
} else {
  const server = await createServer({
    ...options,
    logLevel: 'warn',
    server: { headers: JSON.parse(argument) },
  });
  await server.listen();
  console.log(server.resolvedUrls.local[0]);
}
