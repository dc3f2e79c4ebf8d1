// rollup.mjs ENTRY PLATFORM FORMAT FOLDER: chunks in a folder. Prints what rollup warned of.
import { builtinModules } from 'node:module';
import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';

const [entry, platform, format, dir] = process.argv.slice(2);
const warnings = [];
const isNode = platform === 'node';
const bundle = await rollup({
  input: entry,
  external: isNode ? [...builtinModules, /^node:/] : [],
  plugins: [
    nodeResolve({
      browser: !isNode,
      preferBuiltins: isNode,
      exportConditions: isNode ? ['node'] : [],
    }),
    commonjs(),
  ],
  onLog(level, { message }) {
    if (level === 'warn') warnings.push(message);
  },
});
const extension = { es: 'mjs', cjs: 'cjs' }[format];
await bundle.write({
  dir,
  format,
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `[name]-[hash].${extension}`,
});
console.log(JSON.stringify(warnings));
