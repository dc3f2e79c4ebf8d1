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
  'fragments/order.wgsl': ['Order', 'Plan', 'Pass', 'Scale', 'Map'],
  'fragments/key-range.wgsl': ['KeyRange'],
  'fragments/segment-group.wgsl': ['SegmentGroup'],
  'fragments/segment-state.wgsl': ['Piece', 'Tile', 'Window'],
};

/**
 * Offsets by field of the struct `name` in `text`, and as `size` its bytes. A field may be another
 * struct of the text. One of any other type, such as an array of structs, ends the list: fields
 * after it have no offset.
 * @throws Error where `text` has no such struct.
 */
export function layoutOf(text, name) {
  const { offsets, size } = laidOut(text, name);
  return { ...offsets, size };
}

function laidOut(text, name) {
  const body = new RegExp(`struct ${name} \\{([^}]*)\\}`).exec(text)?.[1];
  if (body === undefined) throw new Error(`there is no struct ${name}`);
  const offsets = {};
  let [end, alignment] = [0, 4];
  for (const [, field, type] of body.matchAll(/^\s*(\w+): ([^\n]+),$/gm)) {
    const own = sizeOf(text, type);
    if (own === undefined) break;
    offsets[field] = Math.ceil(end / own.alignment) * own.alignment;
    end = offsets[field] + own.size;
    alignment = Math.max(alignment, own.alignment);
  }
  return { offsets, size: Math.ceil(end / alignment) * alignment, alignment };
}

/** Bytes and alignment of a type; undefined of one that is neither known nor a struct of `text`. */
function sizeOf(text, type) {
  const bytes = BYTES[type];
  if (bytes !== undefined) return { size: bytes, alignment: bytes };
  return text.includes(`struct ${type} {`) ? laidOut(text, type) : undefined;
}
