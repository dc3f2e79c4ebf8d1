/** A plugin of typedoc: modules have the names by which they are imported. */

import { Converter, ReflectionKind } from 'typedoc';

/** `packages/external/src/storage` is '@keysweep/external/storage'. */
function importedName(path) {
  const [, folder, , ...rest] = path.split('/');
  const name = folder === 'keysweep' ? folder : `@keysweep/${folder}`;
  return [name, ...rest].join('/');
}

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      module.name = importedName(module.name);
    }
  });
}
