/** Frames of an example's page: how long they take, and whose order they show. */

/** What the page of an example has for measurements, as `globalThis.example`. */
interface Example {
  /** Drawn since the page was opened. */
  frames(): number;
}

/** The same of `splats`. */
interface SplatsExample extends Example {
  readonly cloud: { readonly count: number; readonly positions: Float32Array };
  /** The points of the last frame in their order. */
  drawn(): Promise<{ readonly order: Uint32Array }>;
  /** Where the camera of this frame is. */
  view(): readonly number[];
  writeDepths(positions: Float32Array, view: readonly number[], depths: Float32Array): void;
}

export interface Frames {
  /** From each frame that was drawn to the next, in milliseconds. */
  readonly milliseconds: readonly number[];
  /** What the page said of itself meanwhile, each once. */
  readonly figures: readonly string[];
}

/** A frame's order, compared with depths. */
export interface OrderCheck {
  /** Points in the order. */
  readonly points: number;
  /** Whether each is there once. */
  readonly whole: boolean;
  /** By how much a point lies farther off than the one before it, at most: 0 is in order. */
  readonly thisFrame: number;
  /** The same, with the camera where it was in the frame before. */
  readonly frameBefore: number;
}

/** Watches frames for some seconds. Runs in the page. */
export function watchFrames(seconds: number): Promise<Frames> {
  const { example } = globalThis as unknown as { example: Example };
  const text = document.querySelector('#figures') as HTMLElement;
  const milliseconds: number[] = [];
  const figures = new Set<string>();
  const start = performance.now();
  let count = example.frames();
  let last: number | undefined;
  return new Promise((resolve) => {
    const look = (now: number): void => {
      // The page's own callback of this frame has run: it was there first.
      if (example.frames() > count) {
        if (last !== undefined) milliseconds.push(now - last);
        last = now;
      }
      count = example.frames();
      figures.add(text.textContent);
      if (now - start < 1000 * seconds) requestAnimationFrame(look);
      else resolve({ milliseconds, figures: [...figures] });
    };
    requestAnimationFrame(look);
  });
}

/** Compares the orders of some frames of `splats` with the depths of all points. In the page. */
export async function checkOrders(frames: number): Promise<OrderCheck[]> {
  const { example } = globalThis as unknown as { example: SplatsExample };
  const { count, positions } = example.cloud;
  const depths = new Float32Array(count);
  const seen = new Uint8Array(count);
  const nextFrame = (): Promise<number> => new Promise(requestAnimationFrame);

  /** The largest step from a point to one that lies farther off. */
  const worstStep = (order: Uint32Array, view: readonly number[]): number => {
    example.writeDepths(positions, view, depths);
    let worst = 0;
    for (let i = 1; i < order.length; i++) {
      const step = (depths[order[i] as number] as number) - (depths[order[i - 1] as number] ?? 0);
      worst = Math.max(worst, step);
    }
    return worst;
  };
  const isWhole = (order: Uint32Array): boolean => {
    seen.fill(0);
    return order.every((point) => point < count && ++(seen[point] as number) === 1);
  };

  const checks: OrderCheck[] = [];
  while (checks.length < frames) {
    let before = example.view();
    let drawn = example.frames();
    // Two frames that were drawn one after the other; the page's own callbacks run first.
    for (let inTurn = 0; inTurn < 2; ) {
      before = example.view();
      await nextFrame();
      inTurn = example.frames() > drawn ? inTurn + 1 : 0;
      drawn = example.frames();
    }
    const view = example.view();
    const { order } = await example.drawn();
    checks.push({
      points: order.length,
      whole: isWhole(order),
      thisFrame: worstStep(order, view),
      frameBefore: worstStep(order, before),
    });
  }
  return checks;
}
