/** A worker that answers all calls but work: that throws, and nothing catches it. */

addEventListener('message', ({ data: { kind } }) => {
  if (kind === 'task' || kind === 'sort') throw new Error('thrown by the worker');
  postMessage({ answer: undefined });
});
