import { watch } from './watch.cjs';

const listStarted = watch();
const { sort } = await import('keysweep');
console.log(JSON.stringify({ started: await listStarted(), exports: typeof sort === 'function' }));
