/** The compiling program's own types, where its libraries have them. */

/**
 * The instances of the global class `Name`; `Without` where the compiling program knows no such
 * class: published declarations name none that a library may lack.
 */
export type GlobalInstance<Name extends string, Without> = typeof globalThis extends {
  readonly [name in Name]: { readonly prototype: infer T };
}
  ? T
  : Without;
