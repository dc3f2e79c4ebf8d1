/**
 * A plugin of typedoc: modules have the names by which they are imported, and say what they are in
 * the words at the head of their file.
 */

import { readFileSync } from 'node:fs';
import { Comment, Converter, ReflectionKind } from 'typedoc';

/** `packages/external/src/storage` is '@keysweep/external/storage'. */
function importedName(path) {
  const [, folder, , ...rest] = path.split('/');
  const name = folder === 'keysweep' ? folder : `@keysweep/${folder}`;
  return [name, ...rest].join('/');
}

/** The first comment of a file, which begins with the name of its module. */
function headOf(file) {
  const [, text] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8')) ?? [];
  const [, about] = /^\s*\S+: (.*)$/s.exec(text?.replace(/^ *\* ?/gm, '') ?? '') ?? [];
  if (about === undefined) throw new Error(`${file} does not begin with what it is`);
  return `${about[0].toUpperCase()}${about.slice(1)}`.trim();
}

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      module.name = importedName(module.name);
      const text = headOf(module.sources[0].fullFileName);
      module.comment = new Comment([{ kind: 'text', text }]);
    }
  });
}
