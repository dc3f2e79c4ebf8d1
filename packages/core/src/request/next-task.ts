/** A task of its own, in a page and in Node. */

/** The part of a message channel that is used here. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: undefined): void;
  close(): void;
}

interface Globals {
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port };
  readonly setImmediate?: (work: () => void) => unknown;
  readonly setTimeout?: (work: () => void) => unknown;
}

const globals = globalThis as unknown as Globals;
/** Node's own. Taken now: tests put clocks of their own in its place. */
const { setImmediate } = globals;

/**
 * Resolves in a task of its own, after the tasks that wait now. In a page it uses a message: a page
 * that is not visible delays timers, and visible pages delay them too when they are nested. Where
 * there are no messages, as in some test environments, it uses a timer. In a realm without tasks it
 * resolves at once.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    // Node takes a millisecond for the first look at its MessageChannel.
    if (setImmediate) setImmediate(resolve);
    else if (globals.MessageChannel) {
      const { port1, port2 } = new globals.MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else if (globals.setTimeout) globals.setTimeout(resolve);
    else resolve();
  });
}
