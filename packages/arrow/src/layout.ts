/** How Apache Arrow lays out the values of each type. */

import { type DataType, Type, type Union, UnionMode } from 'apache-arrow';

/**
 * - 'none': no values;
 * - 'bits': one bit a row, from bit `offset` on;
 * - 'fixed': `stride` elements of `values` a row; the codes of a dictionary too;
 * - 'bytes': row i has the bytes of `values` from `valueOffsets[i]` up to `valueOffsets[i + 1]`;
 * - 'views': 16 bytes of `values` a row, which hold the bytes or say where they lie;
 * - 'list': as 'bytes', of the rows of a child;
 * - 'fixed-list': `stride` rows of a child a row;
 * - 'struct' and 'sparse-union': the row of the same number of every child;
 * - 'dense-union': row `valueOffsets[i]` of the child that `typeIds[i]` names.
 */
export type Layout =
  | 'none'
  | 'bits'
  | 'fixed'
  | 'bytes'
  | 'views'
  | 'list'
  | 'fixed-list'
  | 'struct'
  | 'sparse-union'
  | 'dense-union';

/** The layout of a type. @throws TypeError for a type that did not exist when this was written. */
export function layoutOf(type: DataType): Layout {
  switch (type.typeId as Type) {
    case Type.Null:
      return 'none';
    case Type.Bool:
      return 'bits';
    case Type.Int:
    case Type.Float:
    case Type.Decimal:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Interval:
    case Type.Duration:
    case Type.FixedSizeBinary:
    case Type.Dictionary:
      return 'fixed';
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Binary:
    case Type.LargeBinary:
      return 'bytes';
    case Type.Utf8View:
    case Type.BinaryView:
      return 'views';
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      return 'list';
    case Type.FixedSizeList:
      return 'fixed-list';
    case Type.Struct:
      return 'struct';
    case Type.Union:
      return (type as Union).mode === UnionMode.Dense ? 'dense-union' : 'sparse-union';
    default:
      throw new TypeError(`columns of type ${type} are not known`);
  }
}
