// esbuild.mjs ENTRY PLATFORM FORMAT OUTPUT: one bundle. Prints what esbuild warned of.
import { build } from 'esbuild';

const [entry, platform, format, outfile] = process.argv.slice(2);
const { warnings } = await build({
  entryPoints: [entry],
  bundle: true,
  platform,
  format,
  outfile,
  logLevel: 'silent',
});
console.log(JSON.stringify(warnings.map(({ text }) => text)));
