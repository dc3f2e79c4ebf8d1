/**
 * Plays another user of the machine, who exchanges folders for links, again and again, until his
 * parent has gone: node exchange.mjs '{ "folders": [...], "target", "uid" }'. Says when he begins.
 */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';

const { folders, target, uid } = JSON.parse(process.argv[2]);
process.setgroups([]);
process.setgid(uid);
process.setuid(uid);
const attempt = (work) => {
  try {
    work();
  } catch {
    // It was removed meanwhile, or is there still.
  }
};
const fill = (folder) => {
  mkdirSync(folder);
  for (let i = 0; i < 20; i++) writeFileSync(`${folder}/${i}`, '');
};
/** All folders are links for a moment, then folders. */
const exchange = () => {
  for (const folder of folders) {
    attempt(() => symlinkSync(target, `${folder}-link`));
    attempt(() => renameSync(folder, `${folder}-away`));
    attempt(() => renameSync(`${folder}-link`, folder));
  }
  for (const folder of folders) {
    attempt(() => renameSync(folder, `${folder}-link`));
    attempt(() => renameSync(`${folder}-away`, folder));
  }
  if (++turns % 20 === 0) for (const folder of folders) attempt(() => fill(folder));
  setImmediate(exchange);
};
let turns = 0;
for (const folder of folders) attempt(() => fill(folder));
exchange();
process.send('ready');
process.once('disconnect', () => process.exit());
