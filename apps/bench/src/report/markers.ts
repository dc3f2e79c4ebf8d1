/**
 * Documents with parts that are made from records. Such a part stands between two lines:
 *
 *     <!-- report: SECTION RECORD … -->
 *     <!-- end -->
 *
 * SECTION is a name of the book's sections. A RECORD is a path below its folder of records, without
 * `.json`; one that ends with `*` stands for all records whose paths begin so.
 */

const BEGIN = /^<!-- report: ([\w-]+)((?: [\w./*-]+)*) -->$/;
const END = '<!-- end -->';

/** Makes the text of a part. */
export type MakePart = (section: string, records: readonly string[]) => string;

/**
 * `text` with its parts made anew, and all else as it was.
 * @throws Error for a part that is malformed, or that has no end.
 */
export function fillParts(text: string, make: MakePart): string {
  const lines: string[] = [];
  let open: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('<!-- report:')) {
      if (open !== undefined) throw new Error(`'${open}' has no '${END}'`);
      const [, section, records = ''] = BEGIN.exec(line) ?? [];
      if (section === undefined) throw new Error(`'${line}' is malformed`);
      open = line;
      lines.push(line, make(section, records.split(' ').filter(Boolean)).trim());
    } else if (line === END) {
      if (open === undefined) throw new Error(`'${END}' without a beginning`);
      open = undefined;
      lines.push(line);
    } else if (open === undefined) lines.push(line);
  }
  if (open !== undefined) throw new Error(`'${open}' has no '${END}'`);
  return lines.join('\n');
}
