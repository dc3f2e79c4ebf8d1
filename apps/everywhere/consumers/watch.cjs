/** Begins to watch what starts: threads, requests, handles. Returns what lists them. */
exports.watch = () => {
  const started = [];
  process.on('worker', () => started.push('a thread'));
  globalThis.fetch = async () => started.push('a request');
  const before = process.getActiveResourcesInfo();
  return async () => {
    // What an import leaves for later has begun by then.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = process.getActiveResourcesInfo();
    for (const one of before) {
      if (after.includes(one)) after.splice(after.indexOf(one), 1);
    }
    return [...started, ...after];
  };
};
