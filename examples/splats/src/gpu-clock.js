/** How long passes take on the GPU. Not every frame is timed: the last times come back first. */

/** A clock for so many passes; on a device without timestamps it tells nothing. */
export function makeGpuClock(device, passes) {
  if (!device.features.has('timestamp-query')) {
    return { time: () => undefined, resolve() {}, read() {}, milliseconds: () => undefined };
  }
  const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 * passes });
  const size = 16 * passes;
  const resolved = device.createBuffer({ size, usage: QUERY_RESOLVE | COPY_SRC });
  const copy = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
  let milliseconds;
  let isReading = false;

  return {
    /** What the descriptor of pass `i` says under `timestampWrites`. */
    time: (i) =>
      isReading
        ? undefined
        : { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 },
    /** Behind the passes, in their command buffer. */
    resolve(encoder) {
      if (isReading) return;
      encoder.resolveQuerySet(querySet, 0, 2 * passes, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, copy, 0, size);
    },
    /** Once they are submitted. */
    async read() {
      if (isReading) return;
      isReading = true;
      try {
        await copy.mapAsync(GPUMapMode.READ);
      } catch {
        return; // The device is gone, and with it what was timed.
      }
      const times = new BigUint64Array(copy.getMappedRange().slice(0));
      copy.unmap();
      const spans = Array.from({ length: passes }, (_, i) => times[2 * i + 1] - times[2 * i]);
      milliseconds = spans.map((span) => Number(span) / 1e6);
      isReading = false;
    },
    /** Of each pass, the last time that they were timed; undefined before. */
    milliseconds: () => milliseconds,
  };
}
