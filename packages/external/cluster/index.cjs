/** See index.js. */
module.exports = require('@keysweep/cluster');
