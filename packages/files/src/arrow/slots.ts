/**
 * Where the fields of a table stand, in the order of Apache Arrow's Schema.fbs
 * (https://arrow.apache.org/docs/format/Columnar.html). The writer lists them in this order.
 */
export const SLOT = {
  schema: { fields: 1 },
  field: { name: 0, nullable: 1, typeNumber: 2, type: 3, dictionary: 4, children: 5 },
  dictionary: { id: 0, indexType: 1 },
  integer: { bitWidth: 0, isSigned: 1 },
} as const;
