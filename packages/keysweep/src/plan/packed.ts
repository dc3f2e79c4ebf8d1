/**
 * So many rows of one key the runtime's own sort orders as packed integers, of 8 bytes a row:
 * builtin/packed-rows.ts. More would take over 64 MiB.
 */
export const PACKED_MOST: number = 2 ** 23;
