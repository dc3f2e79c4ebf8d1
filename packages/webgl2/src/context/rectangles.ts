/** Texels of a texture as rectangles, which is how WebGL2 copies them. */

/** The first `length` texels as rectangles: whole rows, and the rest. */
export function* rectangles(
  length: number,
  columnBits: number,
): Generator<{ row: number; columns: number; rows: number; at: number }> {
  const columns = 2 ** columnBits;
  const rows = Math.floor(length / columns);
  if (rows > 0) yield { row: 0, columns, rows, at: 0 };
  const at = rows * columns;
  if (at < length) yield { row: rows, columns: length - at, rows: 1, at };
}
