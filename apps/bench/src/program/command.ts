/** Commands, and how a program runs one. */

/** One subcommand of the program, which its file exports as `command`. */
export interface Command {
  /** What `NAME --help` prints: what the subcommand does, then its options. */
  readonly help: string;
  /**
   * Runs the subcommand with the arguments after its name.
   * @returns whether every check passed and every sorted result was right.
   * @throws Error with a message to print alone, without a stack.
   */
  run(args: string[]): Promise<boolean>;
}

/** Runs a program by the arguments of the process: prints what failed, and sets the exit code. */
export async function runAsProgram(main: Command['run']): Promise<void> {
  try {
    if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
