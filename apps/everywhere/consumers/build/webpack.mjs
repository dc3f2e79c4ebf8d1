// webpack.mjs ENTRY FOLDER: a page's bundle, as webpack makes it. Prints what webpack warned of.
import webpack from 'webpack';

const [entry, path] = process.argv.slice(2);
webpack({ mode: 'production', entry, output: { path } }, (error, stats) => {
  if (error) throw error;
  const { errors, warnings } = stats.compilation;
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  console.log(JSON.stringify(warnings.map(({ message }) => message)));
});
