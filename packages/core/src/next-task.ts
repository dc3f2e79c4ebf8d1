/** A pause in which the thread does its other work. */

/** The part of a message channel that is used here. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: undefined): void;
  close(): void;
}

interface Channels {
  readonly MessageChannel: new () => { readonly port1: Port; readonly port2: Port };
}

/**
 * Resolves in a task of its own, after the tasks that wait now. It uses a message: a page that
 * is not visible delays timers, and visible pages delay them too when they are nested.
 */
export function nextTask(): Promise<void> {
  // Of neither the DOM nor Node alone: pages, workers and Node all have it.
  const { MessageChannel } = globalThis as unknown as Channels;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
