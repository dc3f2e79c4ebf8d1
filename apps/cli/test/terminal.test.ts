/** What a terminal would act on is shown escaped, wherever it comes from. */

import { writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { onInterrupt, SIGNALS, untilInterrupt } from '../dist/io/interrupt.js';
import { errorTeller, sayError, shown, shownOn } from '../dist/io/terminal.js';
import { layOut } from '../dist/text/format.js';
import { drawStep } from '../dist/text/progress.js';
import { formatClusterReport } from '../dist/text/report.js';
import { inProcess, keysweep, scratch } from './command.js';

const path = scratch();

/** A title for the terminal, a new line, the start of the line, C1's CSI, text from the right. */
const NASTY = 'a\u001b]0;owned\u0007b\nc\rd\u009b31me\u202ef\u007fg\u2028h';
const SHOWN = String.raw`a\u001b]0;owned\u0007b\u000ac\u000dd\u009b31me\u202ef\u007fg\u2028h`;

/** Characters that a terminal acts on, but the newline at the end of a line. */
const ACTED_ON = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** What is written on standard error. */
function saidBy(act: () => void): string {
  const written: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = ((text: string) => written.push(text) > 0) as never;
  try {
    act();
  } finally {
    process.stderr.write = write;
  }
  return written.join('');
}

function expectOneLine(text: string): void {
  expect(text.endsWith('\n')).toBe(true);
  expect(text.slice(0, -1)).not.toMatch(ACTED_ON);
  expect(text).toContain(SHOWN);
}

describe('names with escape sequences', () => {
  it.each([
    ['an input that is not there', ['sort', '--type', 'u32', NASTY, '-o', 'out']],
    ['an input to check', ['check', '--type', 'u32', NASTY]],
    ['text where numbers are wanted', ['sort', '--type', 'u32', `${NASTY}.csv`]],
    ['a folder that is not there', ['gen', '10', '-o', `${NASTY}/x`]],
    ['a command', [NASTY]],
    ['an option', ['sort', `--${NASTY}`]],
    ['the value of an option', ['sort', '--type', NASTY, 'in']],
    ['an address of a store', ['sort', '--type', 'u32', `http://${NASTY}`, '-o', 'out']],
  ])('are shown in the error of %s', async (_, args) => {
    const { code, stderr } = await inProcess(args);
    expect(code).toBeGreaterThan(0);
    expectOneLine(stderr);
  });

  it('are shown in the error of a file, by the command as a program', async () => {
    const file = path(NASTY.replaceAll('/', ''));
    writeFileSync(file, Buffer.alloc(7));
    const { code, stderr } = await keysweep(['sort', '--type', 'u32', file]);
    expect(code).toBe(1);
    expectOneLine(stderr);
    expect(stderr).toContain('is truncated: its 7 bytes are not a multiple of the 4 bytes');
  });

  it('are shown as names of columns of a table, and of its type', async () => {
    const file = path('in.parquet');
    const bytes = parquetWriteBuffer({
      columnData: [{ name: NASTY, data: ['x', 'y'], type: 'STRING' }],
    });
    writeFileSync(file, new Uint8Array(bytes));
    const missing = await inProcess(['sort', file, '-c', 'absent', '-o', path('out.parquet')]);
    expectOneLine(missing.stderr);
    expect(missing.stderr).toContain(`has no column 'absent'; its columns are: ${SHOWN}\n`);
    const text = await inProcess(['sort', file, '-c', NASTY, '--values-only', '-o', path('out')]);
    expectOneLine(text.stderr);
  });
});

describe('text from elsewhere', () => {
  it('is one line of an error, and keeps what is printable', () => {
    expect(shown('é 日本 😀 \\ "q"\n')).toBe('é 日本 😀 \\ "q"\n');
    expect(shown(`${NASTY}\n`)).toBe(`${SHOWN.replace(String.raw`\u000a`, '\n')}\n`);
    expect(saidBy(() => sayError('keysweep', NASTY))).toBe(`keysweep: ${SHOWN}\n`);
  });

  it('is said once while it is the same, and again after something else', () => {
    const tell = errorTeller('keysweep worker');
    const said = ['away', 'away', 'back', 'away', 'away', ''].map((message) =>
      saidBy(() => tell(new Error(message))),
    );
    const away = 'keysweep worker: away\n';
    expect(said).toEqual([away, '', 'keysweep worker: back\n', away, '', 'keysweep worker: \n']);
    expect(saidBy(() => errorTeller('other')(new Error('')))).toBe('other: \n');
  });

  it('is no longer than a page or two', async () => {
    const file = path('long.parquet');
    const name = 'x'.repeat(100_000);
    const bytes = parquetWriteBuffer({ columnData: [{ name, data: [1], type: 'INT32' }] });
    writeFileSync(file, new Uint8Array(bytes));
    const { code, stderr } = await inProcess([
      'sort',
      file,
      '-c',
      'absent',
      '-o',
      path('out.parquet'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: '.*' has no column 'absent'; its columns are: x+…\n$/);
    expect(stderr.length).toBeLessThan(4100);
  });

  it('is one line of a report', () => {
    expect(layOut([[NASTY, 'x']])).toEqual([`${SHOWN}  x`]);
    const report = formatClusterReport({
      bytes: 1,
      milliseconds: { total: 1, sample: 1, partition: 1, sort: 1, write: 1 },
      parts: 1,
      pieces: 1,
      imbalance: 1,
      retries: 0,
      workers: { [NASTY]: 3 },
      bytesRead: 1,
      bytesWritten: 1,
    } as never);
    expect(report).toContain(`3 by ${SHOWN};`);
    expect(report.split('\n').some((line) => ACTED_ON.test(line))).toBe(false);
  });

  it('is a part of a line of progress', () => {
    const step = { doing: NASTY, completed: 1, total: 2, unit: 'steps' } as const;
    expect(drawStep(step, 200)).toContain(SHOWN);
    expect(drawStep(step, 200)).not.toMatch(ACTED_ON);
  });
});

it('shows the fields of a table of text without what a terminal acts on', async () => {
  const written: string[] = [];
  const terminal = shownOn({
    async write(bytes) {
      written.push(Buffer.from(bytes).toString());
    },
  });
  const bytes = Buffer.from(`a\tb\r\n\u00e4${NASTY.replaceAll('\n', '')}\rz\n`);
  // The second piece begins within a character.
  await terminal.write(bytes.subarray(0, 6));
  await terminal.write(bytes.subarray(6));
  const text = written.join('');
  const shownFields = SHOWN.replace('\\u000a', '');
  expect(text).toBe(`a\tb\r\n\u00e4${shownFields}\\u000dz\n`);
});

describe('a signal', () => {
  /** How signals reach the process: those that it would be ended by, and who listens to them. */
  function signals() {
    const ended: unknown[] = [];
    const kill = vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
      ended.push(signal);
      return true;
    });
    onTestFinished(() => kill.mockRestore());
    const before = new Map(SIGNALS.map((name) => [name, process.listeners(name)]));
    const own = (name: NodeJS.Signals) =>
      process.listeners(name).filter((one) => !before.get(name)?.includes(one));
    const send = (name: NodeJS.Signals): void => {
      for (const listener of own(name) as ((name: string) => void)[]) listener(name);
    };
    const listening = () => SIGNALS.filter((name) => own(name).length > 0);
    return { ended, send, listening };
  }

  it.each(SIGNALS)(
    '%s ends work first, and then the process; the next one at once',
    async (name) => {
      const { ended, send, listening } = signals();
      let finish = (): void => {};
      const work = untilInterrupt(async (signal) => {
        expect(listening()).toEqual(SIGNALS);
        send(name);
        expect(signal.reason).toEqual(new Error(`ended by ${name}`));
        // From now on a signal has the effect that it has without listeners.
        expect(listening()).toEqual([]);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        throw signal.reason;
      });
      expect(ended).toEqual([]);
      finish();
      await expect(work).rejects.toThrow(`ended by ${name}`);
      expect(ended).toEqual([name]);
    },
  );

  it('that does not come leaves nothing', async () => {
    const { ended, listening } = signals();
    await untilInterrupt(async (signal) => expect(signal.aborted).toBe(false));
    await expect(untilInterrupt(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect({ ended, listening: listening() }).toEqual({ ended: [], listening: [] });
  });

  it('has all cleaned up that is not forgotten, once', () => {
    const { ended, send, listening } = signals();
    const cleaned: string[] = [];
    const forgets = ['a', 'b', 'c'].map((name) => onInterrupt(() => void cleaned.push(name)));
    forgets[1]?.();
    expect(listening()).toEqual(SIGNALS);
    send('SIGTERM');
    expect(cleaned).toEqual(['a', 'c']);
    expect({ ended, listening: listening() }).toEqual({ ended: ['SIGTERM'], listening: [] });
    for (const forget of forgets) forget();
    const forget = onInterrupt(() => {});
    expect(listening()).toEqual(SIGNALS);
    forget();
    expect(listening()).toEqual([]);
  });
});
