/**
 * Decides when a cold backend is worth starting. Each request that goes elsewhere adds what a warm
 * backend would have saved. Once the sum reaches the time of a start, the start counts as paid, so
 * a stream of sorts pays for it at most twice (ski rental: Karlin et al., "Competitive snoopy
 * caching", 1988).
 */
export class StartUp {
  /** Whether the backend has sorted, or was warmed up. */
  isWarm = false;
  /** Milliseconds that it would have saved so far, had it been warm. */
  #missed = 0;

  /** The milliseconds of a start of `start` that still count against the next request. */
  costOf(start: number): number {
    return this.isWarm ? 0 : Math.max(0, start - this.#missed);
  }

  /** Notes how much a warm backend would have saved on a request that went elsewhere. */
  noteMissed(milliseconds: number): void {
    if (!this.isWarm && milliseconds > 0) this.#missed += milliseconds;
  }

  /** Starts anew, because the backend was told to give everything back. */
  reset(): void {
    this.isWarm = false;
    this.#missed = 0;
  }
}
