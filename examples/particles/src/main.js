/** The page: a canvas, the pointer, and how long frames take. */

import { makeSimulation } from './simulation.js';

const canvas = document.querySelector('canvas');
const figures = document.querySelector('#figures');

// Few people look into the console: what went wrong is said on the page.
const say = (sentence) => {
  figures.textContent = sentence;
};
addEventListener('error', ({ error }) => error && say(error.message));
addEventListener('unhandledrejection', ({ reason }) => say(reason.message));

const count = Number(new URLSearchParams(location.search).get('discs') ?? 100_000);
if (!Number.isInteger(count) || count < 10) {
  throw new RangeError('?discs= takes a whole number from 10 on.');
}

/** Where the pointer stirs; far away while there is none. */
let pointer = [9, 9];
canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
  const { clientWidth, clientHeight } = canvas;
  pointer = [(2 * offsetX) / clientWidth - 1, 1 - (2 * offsetY) / clientHeight];
});
canvas.addEventListener('pointerleave', () => {
  pointer = [9, 9];
});
new ResizeObserver(() => {
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = canvas.height = Math.max(1, Math.round(ratio * canvas.clientWidth));
}).observe(canvas);

async function run(adapter) {
  const simulation = await makeSimulation(adapter, canvas, count);
  let isLost = false;
  simulation.lost.then(({ message }) => {
    isLost = true;
    say(`The GPU is lost: ${message} Reload the page to start again.`);
  });
  const { side, step } = simulation;
  let inFlight = 0;
  let frames = 0;
  let times = [];

  function frame(time) {
    if (isLost) return;
    requestAnimationFrame(frame);
    // Where the GPU is behind, more work would only make it wait longer.
    if (inFlight === 2) return;
    inFlight++;
    // Work that a loss ends is over, too.
    const over = () => inFlight--;
    step(time, pointer).then(over, over);
    frames++;
    times.push(time);
    if (times.length < 5 || time - times[0] < 500) return;
    const milliseconds = (time - times[0]) / (times.length - 1);
    say(
      `${count.toLocaleString('en')} discs in ${side} × ${side} cells\n` +
        `frame ${milliseconds.toFixed(1)} ms`,
    );
    times = [];
  }
  requestAnimationFrame(frame);
  // A hidden page draws nothing: that time is no frame's.
  document.addEventListener('visibilitychange', () => {
    times = [];
  });
  // For tests.
  globalThis.example = { ...simulation, frames: () => frames };
}

const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
if (adapter) await run(adapter);
else say('This browser has no WebGPU, which this page is about.');
