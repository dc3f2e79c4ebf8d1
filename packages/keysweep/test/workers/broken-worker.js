/** A worker that is polite, but throws when there is work to do, where nobody catches it. */

addEventListener('message', ({ data: { kind } }) => {
  if (kind === 'task' || kind === 'serve') throw new Error('thrown by the worker');
  postMessage({ answer: undefined });
});
