/** What a file in src/commands exports: one subcommand of the program. */

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
