/** Reads bytes that were written as text: see ../wasm-text.mjs. */

import {
  CPU_WASM,
  FIELDS_WASM,
  GATHER_WASM,
  SELECTION_WASM,
  SPELLING_WASM,
  SPLIT_WASM,
} from '../generated/cpu.js';
import { TEXT_WASM } from '../generated/text.js';

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

const PAGE = 65536;

/** Shorter texts are read before a kernel that reads them is compiled. */
const READ_BY_KERNEL = 8192;

/** Addresses in the memory of that kernel: the bytes that characters stand for, then the text. */
const VALUES_AT = 0;
const TEXT_AT = 128;

/** The bytes of a text. O(length). Long texts are read by a kernel, because this code is cold. */
export function bytesOf(text: ByteText): Uint8Array<ArrayBuffer> {
  const isLong = text.length >= READ_BY_KERNEL && typeof TextEncoder !== 'undefined';
  return isLong ? readByKernel(text) : readPlainly(text);
}

const hex = (from: string, at: number): number => Number.parseInt(from.slice(at, at + 2), 16);

/** By character code, the byte that each character stands for; −1 for '~'. */
function valuesOf({ characters, common }: ByteText): Int16Array {
  const values = new Int16Array(128).fill(-1);
  for (let i = 0; i < characters.length; i++) values[characters.charCodeAt(i)] = hex(common, 2 * i);
  return values;
}

function readPlainly(from: ByteText): Uint8Array<ArrayBuffer> {
  const { length, text } = from;
  const values = valuesOf(from);
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

function readByKernel(from: ByteText): Uint8Array<ArrayBuffer> {
  const { length, text } = from;
  const bytesAt = TEXT_AT + text.length;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((bytesAt + length) / PAGE) });
  const module = new WebAssembly.Module(readPlainly(TEXT_WASM));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const { read } = exports as unknown as TextKernel;
  new Uint8Array(memory.buffer, VALUES_AT).set(valuesOf(from));
  new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, TEXT_AT));
  read(TEXT_AT, VALUES_AT, bytesAt, length);
  return new Uint8Array(memory.buffer, bytesAt, length);
}

/** The exports of wasm/text.ts. */
interface TextKernel {
  read(text: number, values: number, bytes: number, length: number): void;
}
