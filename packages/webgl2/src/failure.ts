/** What goes wrong on a GPU that should work: the context is lost, memory is missing. */
export class Failure extends Error {}
