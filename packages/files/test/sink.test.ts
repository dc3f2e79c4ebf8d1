/** The sink of a table that is written: it gets every piece, and its errors come out. */

import { describe, expect, it } from 'vitest';
import { type ByteSink, bytesSource, openTable, writeTable } from '../src/index.js';

describe('a sink', () => {
  /** Writes a table of text, of Parquet or of Arrow. */
  const formats = ['parquet', 'arrow', 'csv'] as const;
  const write = async (format: (typeof formats)[number], sink: ByteSink): Promise<void> => {
    const text = 'a,b\n2,x\n1,y\n3,z\n';
    const source = bytesSource("'in'", Uint8Array.from(Buffer.from(text)));
    const table = await openTable(source, { format: 'csv' });
    const order = Uint32Array.of(1, 0, 2);
    if (format === 'csv') return table.writeRows(sink, order, () => {});
    const columns = [await table.readColumn(0), await table.readColumn(1)];
    await writeTable(sink, format, { columns, order, layout: undefined }, () => {});
  };
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it.each(formats)('has taken every piece when a table of %s is written', async (format) => {
    let [given, taken] = [0, 0];
    await write(format, {
      async write(bytes) {
        given += bytes.length;
        await later();
        taken += bytes.length;
      },
    });
    expect(taken).toBe(given);
    expect(taken).toBeGreaterThan(15);
  });

  it.each(formats)('fails a table of %s by any of its pieces', async (format) => {
    let pieces = 0;
    await write(format, { write: async () => void pieces++ });
    for (let failing = 0; failing < pieces; failing++) {
      let piece = 0;
      const writing = write(format, {
        async write() {
          const isFull = piece++ === failing;
          await later();
          if (isFull) throw new Error('it is full');
        },
      });
      await expect(writing, `piece ${failing}`).rejects.toThrow('it is full');
    }
    expect(pieces).toBeGreaterThan(0);
  });
});
