/** The shaders' texts, and the names in them by which a table of dispatches speaks to them. */

import { expand } from '@keysweep/kernels/wgsl';
import { WGSL } from '../../generated/wgsl.js';
import { constantsOf, type Dispatch, type Numbers, SHAPE } from './plan.js';

/** What kernels are specialised with, where a dispatch says nothing else. */
export const CONSTANTS: Numbers = constantsOf(SHAPE);

/** The text of a dispatch's kernel. */
export const shaderOf = ({ kernel, constants }: Dispatch): string =>
  expand(`${kernel}.wgsl`, WGSL, { ...CONSTANTS, ...constants });

/** What a shader calls its bindings, by number, and the fields of its struct `Params`. */
export interface Names {
  readonly bindings: ReadonlyMap<string, number>;
  readonly params: readonly string[];
}

/** The names in a shader's text. */
export function namesOf(code: string): Names {
  const declared = code.matchAll(/@binding\((\d+)\) var<storage, \w+> (\w+)/g);
  const [, fields = ''] = /struct Params \{([^}]*)\}/.exec(code) ?? [];
  return {
    bindings: new Map(Array.from(declared, ([, number, name]) => [name as string, Number(number)])),
    params: Array.from(fields.matchAll(/(\w+): u32/g), ([, name]) => name as string),
  };
}
