/** A value as a console shows it. */

/** Elements of an array, and characters, that are shown at most. */
const ELEMENTS = 20;
const CHARACTERS = 2000;

export function shown(value: unknown): string {
  return typeof value === 'string' ? value : inner(value).slice(0, CHARACTERS);
}

function inner(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Error || typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const array = value as unknown as ArrayLike<unknown>;
    const cells = Array.from({ length: Math.min(ELEMENTS, array.length) }, (_, i) =>
      inner(array[i]),
    );
    const rest = array.length > ELEMENTS ? [`… ${array.length - ELEMENTS} more`] : [];
    const name = Array.isArray(value) ? '' : `${value.constructor.name}(${array.length}) `;
    return `${name}[ ${[...cells, ...rest].join(', ')} ]`;
  }
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${inner(field)}`);
  return `{ ${fields.join(', ')} }`;
}
