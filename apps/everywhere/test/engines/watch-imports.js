// Stands in front of the program, and sees what its modules start while they are imported.
globalThis.endWatch = (() => {
  const names = ['Worker', 'fetch', 'setInterval', 'setTimeout', 'OffscreenCanvas'];
  const levels = ['log', 'warn', 'error'];
  const started = [];
  const places = [
    ...names.filter((name) => name in globalThis).map((name) => [globalThis, name]),
    ...levels.map((level) => [console, level]),
    // Some are fixed in edge-runtime.
  ].filter(
    ([target, name]) => Object.getOwnPropertyDescriptor(target, name)?.configurable !== false,
  );
  const own = places.map(([target, name]) => target[name]);
  const put = ([target, name], value) =>
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  for (const [i, place] of places.entries()) {
    const watched = new Proxy(own[i], {
      apply(...args) {
        started.push(place[1]);
        return Reflect.apply(...args);
      },
      construct(...args) {
        started.push(place[1]);
        return Reflect.construct(...args);
      },
    });
    put(place, watched);
  }
  return () => {
    for (const [i, place] of places.entries()) put(place, own[i]);
    return started;
  };
})();
