/**
 * Byte offsets of the fields of WGSL structs, for the host that writes and reads them: build.mjs
 * writes them to generated/layouts.ts. Follows WGSL's rules for the types below ("Alignment and
 * Size").
 */

/**
 * Bytes of a type, which is also its alignment. A key has one word here, or twice as much as said.
 */
const BYTES = { u32: 4, i32: 4, vec2u: 8, Key: 4 };

/** The structs that the host shares, by the files that declare them. */
export const SHARED_STRUCTS = {
  'fragments/order.wgsl': ['Order', 'Plan', 'Pass', 'Scale'],
  'fragments/key-range.wgsl': ['KeyRange'],
  'fragments/segment-group.wgsl': ['SegmentGroup'],
  'fragments/segment-state.wgsl': ['Piece', 'Tile', 'Window'],
};

/**
 * Offsets by field of the struct `name` in `text`, and as `size` its bytes. A field of another
 * type than those above, such as an array of structs, ends the list: what is behind it has no
 * offset.
 * @throws Error where `text` has no such struct.
 */
export function layoutOf(text, name) {
  const body = new RegExp(`struct ${name} \\{([^}]*)\\}`).exec(text)?.[1];
  if (body === undefined) throw new Error(`there is no struct ${name}`);
  const offsets = {};
  let [end, alignment] = [0, 4];
  for (const [, field, type] of body.matchAll(/^\s*(\w+): ([^\n]+),$/gm)) {
    const bytes = BYTES[type];
    if (bytes === undefined) break;
    offsets[field] = Math.ceil(end / bytes) * bytes;
    end = offsets[field] + bytes;
    alignment = Math.max(alignment, bytes);
  }
  return { ...offsets, size: Math.ceil(end / alignment) * alignment };
}
