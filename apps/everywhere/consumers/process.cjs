const keysweep = require('keysweep');
const { sortThrice } = require('./program.cjs');

sortThrice(keysweep).then((outcome) => console.log(JSON.stringify(outcome)));
