/**
 * When a cold backend is worth its start. Once the requests that went elsewhere would have saved
 * as much as the start takes, the start costs nothing more (ski rental: Karlin et al., "Competitive
 * snoopy caching", 1988). So a stream of sorts pays for a start twice at most.
 */
export class StartUp {
  /** Whether the backend has sorted, or was warmed up. */
  isWarm = false;
  /** Milliseconds that it would have saved so far, had it been warm. */
  #missed = 0;

  /** Milliseconds that count against the next request, of a start that takes `start`. */
  costOf(start: number): number {
    return this.isWarm ? 0 : Math.max(0, start - this.#missed);
  }

  /** Notes a request that went elsewhere: a warm backend would have saved this. */
  noteMissed(milliseconds: number): void {
    if (!this.isWarm && milliseconds > 0) this.#missed += milliseconds;
  }

  /** The backend was told to give everything back. */
  reset(): void {
    this.isWarm = false;
    this.#missed = 0;
  }
}
