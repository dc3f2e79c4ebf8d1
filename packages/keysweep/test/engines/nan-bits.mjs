/**
 * Prints what `nan-faults.mjs` finds: `nan-bits.mjs SEED [plain]`. With `plain` there is no
 * WebAssembly.
 */

const [seed, mode] = process.argv.slice(2);
if (mode === 'plain') delete globalThis.WebAssembly;
const { findNanFaults } = await import('./nan-faults.mjs');
console.log(JSON.stringify(await findNanFaults(Number(seed))));
