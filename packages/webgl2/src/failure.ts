/** A failure of a GPU that should work: the context is lost, or memory is missing. */
export class Failure extends Error {}
