const { watch } = require('./watch.cjs');

const listStarted = watch();
const { sort } = require('keysweep');
listStarted().then((started) => {
  console.log(JSON.stringify({ started, exports: typeof sort === 'function' }));
});
