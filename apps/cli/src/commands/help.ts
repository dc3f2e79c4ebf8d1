/** The text of `keysweep --help`. */

export const HELP = `keysweep sorts columns of numbers.

Usage
  keysweep sort --type TYPE [options] [INPUT] [-o OUTPUT]
  keysweep sort --column NAME [options] INPUT.parquet|INPUT.arrow [-o OUTPUT]
  keysweep doctor [--calibrate] [--json]
  keysweep help

keysweep sort
  Reads raw little-endian values from INPUT, or from standard input if INPUT is
  missing or '-'. Writes them sorted, raw and little-endian too. From a .parquet
  or .arrow file it reads one column and writes the values in the column's type;
  dates, times and decimals are the integers that the file stores.
  The order is that of TypedArray.prototype.sort: -0 before 0, NaN last.

  -t, --type TYPE      u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64
                       (a .parquet or .arrow file has types of its own)
  -c, --column NAME    the column of a .parquet or .arrow file; with --argsort
                       it may be repeated, most significant first
  -o, --output OUTPUT  the file to write; standard output if missing or '-'.
                       A file is written whole or not at all; it may be INPUT
  -d, --descending     the exact reverse order
      --argsort        write the order instead of the values: for each place
                       the 0-based position in the input, as u32; equal values
                       keep their order
      --backend NAME   auto (default), cpu, builtin, webgpu or webgl2
      --report         print backend, times and passes on standard error

keysweep doctor
  Prints what this machine has, which backends are available, which one 'auto'
  chooses by number of keys, and the estimated times.

      --calibrate      measure the backends first, which takes two seconds
      --json           print the same as JSON

  -h, --help           this text
  -V, --version        the version

Exit code
  0 done; 1 failed, with one line on standard error; 2 not a valid command line

Examples
  keysweep sort --type f32 --descending samples.f32 -o sorted.f32
  producer | keysweep sort --type u64 | consumer
  keysweep sort --argsort -c date -c delay flights.parquet -o order.u32
`;
