/** Reads bytes that were written as text: see ../wasm-text.mjs. */

import {
  CPU_WASM,
  FIELDS_WASM,
  GATHER_WASM,
  SELECTION_WASM,
  SPELLING_WASM,
  SPLIT_WASM,
} from '../generated/cpu.js';

/** The WebAssembly module of the kernels. */
export const wasmBytes = (): Uint8Array<ArrayBuffer> => bytesOf(CPU_WASM);

/** The same as text, for a worker whose code is a text. */
export const KERNELS_TEXT: ByteText = CPU_WASM;

/** The WebAssembly module of `gather`. */
export const gatherBytes = (): Uint8Array<ArrayBuffer> => bytesOf(GATHER_WASM);

/** The WebAssembly module of a table's fields. */
export const fieldBytes = (): Uint8Array<ArrayBuffer> => bytesOf(FIELDS_WASM);

/** The WebAssembly module that finds keys between two words. */
export const selectionBytes = (): Uint8Array<ArrayBuffer> => bytesOf(SELECTION_WASM);

/** The WebAssembly module that spells strings. */
export const spellingBytes = (): Uint8Array<ArrayBuffer> => bytesOf(SPELLING_WASM);

/** The WebAssembly module that divides numbers by splitters. */
export const splitBytes = (): Uint8Array<ArrayBuffer> => bytesOf(SPLIT_WASM);

/** Bytes as text. */
export interface ByteText {
  /** Number of bytes. */
  readonly length: number;
  readonly characters: string;
  /** The value of each of `characters`, two hexadecimal digits each. */
  readonly common: string;
  readonly text: string;
}

/** The bytes of a text. O(length), some milliseconds for the kernels while this code is cold. */
export function bytesOf({ length, characters, common, text }: ByteText): Uint8Array<ArrayBuffer> {
  const hex = (from: string, at: number): number => Number.parseInt(from.slice(at, at + 2), 16);
  /** By character code; −1 for '~'. */
  const values = new Int16Array(128).fill(-1);
  for (let i = 0; i < characters.length; i++) values[characters.charCodeAt(i)] = hex(common, 2 * i);
  const bytes = new Uint8Array(length);
  for (let i = 0, at = 0; i < length; i++) {
    const value = values[text.charCodeAt(at++)] as number;
    if (value >= 0) {
      bytes[i] = value;
    } else {
      bytes[i] = hex(text, at);
      at += 2;
    }
  }
  return bytes;
}
