/**
 * Bytes as text for a module's source: one printable character for each of the commonest values,
 * and '~' with two hexadecimal digits for any other. Most bytes stay one character, so gzip packs
 * the text as well as the bytes; base64 would come out three quarters longer. cpu/wasm-bytes.ts
 * reads it.
 */

/**
 * Characters that need no escape in a string, whatever its quotes, the commonest of minified code
 * first: where text and code meet in one bundle, gzip's codes fit both. It saves 350 bytes.
 */
const CHARACTERS =
  'etnr,osi()=a :lu.cfd{}h;gymbp0vw+[]1A*k2?>E&4B6-8<!IMT/FNSO3CPjUx|L5_DWVR7YH9qzGJK#QXZ^%@';

const hexOf = (value) => value.toString(16).padStart(2, '0');

/** The text of `bytes`: `common` is what each of `characters` stands for, in hexadecimal digits. */
export function textOf(bytes) {
  const counts = new Uint32Array(256);
  for (const value of bytes) counts[value]++;
  const values = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const common = values.slice(0, CHARACTERS.length);
  const places = new Map(common.map((value, place) => [value, place]));
  const text = Array.from(bytes, (value) => CHARACTERS[places.get(value)] ?? `~${hexOf(value)}`);
  return {
    length: bytes.length,
    characters: CHARACTERS,
    common: common.map(hexOf).join(''),
    text: text.join(''),
  };
}
