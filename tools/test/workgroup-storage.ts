/** What a shader keeps in the storage of a workgroup. */

/** Bytes of the types that kernels keep there, but for structs, which their fields add up to. */
const BYTES: Readonly<Record<string, number>> = { u32: 4, 'atomic<u32>': 4, vec2u: 8 };

/** Bytes of workgroup storage of a shader, as its text declares them. */
export function storageOf(text: string): number {
  const numbers = new Map<string, number>();
  const numberOf = (expression: string): number => {
    const known = expression.replace(/[A-Za-z_]\w*/g, (name) =>
      name === 'max' ? 'Math.max' : String(numbers.get(name)),
    );
    return Number(new Function(`return ${known}`)());
  };
  const plain = text.replace(/\b(0x[\da-f]+|\d+)u\b/g, (_, digits) => String(Number(digits)));
  for (const [, name, value] of plain.matchAll(/^const (\w+) = (?!vec)([\w+*(), ]+);$/gm)) {
    numbers.set(name as string, numberOf(value as string));
  }
  const bytesOf = (type: string): number => {
    const [, item = type, count = '1'] = /^array<(\w+|atomic<u32>), (.+)>$/.exec(type) ?? [];
    if (item in BYTES) return (BYTES[item] as number) * numberOf(count);
    const [, fields = ''] = new RegExp(`^struct ${item} {([^}]+)}`, 'm').exec(plain) ?? [];
    return numberOf(count) * sumOf(fields.matchAll(/^ *\w+: (.+),$/gm));
  };
  const sumOf = (found: Iterable<RegExpExecArray>): number =>
    [...found].reduce((sum, [, type]) => sum + bytesOf(type as string), 0);
  return sumOf(plain.matchAll(/^var<workgroup> \w+: (.+);$/gm));
}
