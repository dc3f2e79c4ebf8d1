/** @keysweep/kernels/webgl2: the fragment shaders of the WebGL2 backend, as gpu.js takes them. */

import { WEBGL2 } from '../generated/webgl2.js';

/** A kernel in the parts that gpu.js puts together. */
export interface KernelText {
  /** The function that gpu.js translates. Its parameters are the kernel's arguments, in order. */
  readonly entry: string;
  /** GLSL in front of the arguments: constants, records. */
  readonly injected: string;
  /** GLSL behind the arguments, where each is named `user_` and its name in `entry`. */
  readonly native: string;
  /** The function of `native` that `entry` calls. */
  readonly nativeName: string;
}

/** What a kernel is specialised for. */
export interface KernelVariant {
  /** Whether records have the position that they came from, as a tie-break. */
  readonly paired: boolean;
  /** A fragment writes 2^slotBits textures. */
  readonly slotBits: 2 | 3;
}

const NATIVE_NAMES = { load: 'loaded', merge: 'merged', store: 'stored' } as const;

export type KernelName = keyof typeof NATIVE_NAMES;

const textOf = (file: string): string => {
  const text = WEBGL2[file];
  if (text === undefined) throw new Error(`there is no kernel file ${file}`);
  return text;
};

/** The lines of an entry for slots 4 to 7. */
const UPPER_SLOTS = /^(slot|out)[4-7]\b.*\n/gm;

/**
 * The text of a kernel. Entries are written for eight slots; for four, the lines of slots 4 to 7
 * are left out.
 */
export function kernelText(name: KernelName, { paired, slotBits }: KernelVariant): KernelText {
  const entry = textOf(`${name}.kernel.js`).replace('export default ', '');
  const constants = `#define PAIRED ${paired ? 1 : 0}\n#define SLOT_BITS ${slotBits}\n`;
  return {
    entry: slotBits === 3 ? entry : entry.replace(UPPER_SLOTS, ''),
    injected: `${constants}${textOf('records.glsl')}\n`,
    native: textOf(`${name}.glsl`),
    nativeName: NATIVE_NAMES[name],
  };
}
