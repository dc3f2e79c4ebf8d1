/** What `keysweep --help` says. */

export const HELP = `keysweep sorts columns of numbers.

Usage
  keysweep sort --type TYPE [options] [INPUT] [-o OUTPUT]
  keysweep sort --column NAME [options] INPUT.parquet|INPUT.arrow [-o OUTPUT]
  keysweep doctor [--calibrate] [--json]
  keysweep help

keysweep sort
  Reads raw little-endian values from INPUT, or from standard input when INPUT
  is left out or '-', and writes them sorted, raw and little-endian too. Of a
  table it reads the column named and writes the sorted values in the column's
  own type; dates, times and decimals are the integers that they are stored as.
  The order is that of TypedArray.prototype.sort: -0 before 0, NaN last.

  -t, --type TYPE      u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64
                       (not needed for a table, which has types of its own)
  -c, --column NAME    the column of a .parquet or .arrow file; with --argsort
                       it may be repeated, most significant first
  -o, --output OUTPUT  a file; '-' or nothing for standard output. A file is
                       written whole or not at all, and may be INPUT itself
  -d, --descending     the exact reverse order
      --argsort        write the order instead of the values: the 0-based
                       position of each value in the input, as u32; equal
                       values keep their order
      --backend NAME   auto (default), cpu, builtin, webgpu or webgl2
      --report         say on standard error what was done, and how fast

keysweep doctor
  Says what this machine has, what each backend finds on it, which backend
  would sort what, and how long that is expected to take.

      --calibrate      measures the backends first, for two seconds
      --json           the same for a program

  -h, --help           this text
  -V, --version        the version

Exit code
  0 done; 1 failed, with one line on standard error; 2 the command line made no
  sense.

Examples
  keysweep sort --type f32 --descending samples.f32 -o sorted.f32
  producer | keysweep sort --type u64 | consumer
  keysweep sort --argsort -c date -c delay flights.parquet -o order.u32
`;
