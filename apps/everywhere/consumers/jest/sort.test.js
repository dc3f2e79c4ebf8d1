const { writeFileSync } = require('node:fs');
const keysweep = require('keysweep');
const { sortThrice } = require('./program.cjs');

test('sorts', async () => {
  writeFileSync(process.env.OUTCOME, JSON.stringify(await sortThrice(keysweep)));
}, 60_000);
