/** The page: a camera of three.js, three ways to draw, and how long frames take. */

import { PerspectiveCamera } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { makeCloud } from './cloud.js';
import { makeCpuWay } from './cpu-way.js';
import { writeDepths } from './depths.js';
import { makeGpuWay } from './gpu-way.js';
import { sortInWorker, sortOnThreads } from './sorters.js';

const byId = (id) => document.getElementById(id);
const stage = byId('stage');
byId('isolation').hidden = crossOriginIsolated;

// Few people look into the console: what went wrong is said on the page.
addEventListener('error', ({ error }) => error && say(error.message));
addEventListener('unhandledrejection', ({ reason }) => say(reason.message));

const count = Number(new URLSearchParams(location.search).get('points') ?? 2_000_000);
if (!Number.isInteger(count) || count < 1) {
  throw new RangeError('?points= takes a whole number from 1 on.');
}
const cloud = makeCloud(count);
const camera = new PerspectiveCamera(45, 1, 0.1, 100);
camera.position.set(0, 1.8, 4.8);
const controls = new OrbitControls(camera, stage);
controls.enableDamping = true;
controls.autoRotate = !matchMedia('(prefers-reduced-motion: reduce)').matches;

const makers = {
  worker: async () => makeCpuWay(cloud, sortInWorker(cloud), say),
  threads: async () => makeCpuWay(cloud, sortOnThreads(cloud), say),
  gpu: () => makeGpuWay(cloud, say),
};

function say(sentence) {
  byId('note').textContent = sentence;
}

/** What draws at the moment; none while one is made. */
let way;
/** The promise of the one that was chosen last. */
let chosen;
/** When the last frames began. */
const times = [];

async function choose(name) {
  way?.close();
  way = undefined;
  times.length = 0;
  byId('figures').textContent = 'Starting…';
  say('');
  const promise = makers[name]();
  chosen = promise;
  const made = await promise;
  // Another one was chosen meanwhile.
  if (chosen !== promise) return made.close();
  way = made;
  stage.replaceChildren(way.canvas);
  resize();
}

function resize() {
  const { clientWidth: width, clientHeight: height } = stage;
  const ratio = Math.min(devicePixelRatio, 2);
  camera.aspect = width / height;
  // A tall window stands farther off.
  camera.fov = 45 * Math.max(1, 1 / camera.aspect) ** 0.9;
  camera.updateProjectionMatrix();
  way?.resize(Math.round(ratio * width), Math.round(ratio * height));
}

function frame(now) {
  requestAnimationFrame(frame);
  controls.update();
  camera.updateMatrixWorld();
  if (!way?.draw(camera)) return;
  times.push(now);
  // Half a second of frames, or a few slow ones.
  if (times.length < 5 || now - times[0] < 500) return;
  const milliseconds = (now - times[0]) / (times.length - 1);
  times.length = 0;
  const points = `${count.toLocaleString('en')} points`;
  const rate = (1000 / milliseconds).toFixed(1);
  const pace = `${milliseconds.toFixed(1)} ms a frame, ${rate} frames a second`;
  byId('figures').textContent = [points, pace, ...way.figures()].join('\n');
}

/**
 * The way that is best here. With a GPU the order is that of the frame, for next to none of its
 * time. Without, one worker leaves the other cores to the page, so frames come at an even pace.
 */
async function chooseBest() {
  const adapter = await navigator.gpu?.requestAdapter();
  byId('no-gpu').textContent = adapter
    ? 'WebGPU is software in this browser, so the CPU is the better choice.'
    : 'This browser has no WebGPU, so the CPU has to sort.';
  document.querySelector('[value=gpu]').toggleAttribute('disabled', !adapter);
  const hasGpu = adapter != null && !adapter.info.isFallbackAdapter;
  byId('no-gpu').hidden = hasGpu;
  /** @type {HTMLInputElement} */
  const best = document.querySelector(`[value=${hasGpu ? 'gpu' : 'worker'}]`);
  best.checked = true;
  best.parentElement.classList.add('best');
  await chooseChecked();
}

const chooseChecked = () => {
  const name = new FormData(document.querySelector('form')).get('way');
  return choose(name).catch(({ message }) => say(message));
};
document.querySelector('form').addEventListener('change', chooseChecked);
new ResizeObserver(resize).observe(stage);
// A hidden page draws nothing: that time is no frame's.
document.addEventListener('visibilitychange', () => {
  times.length = 0;
});
await chooseBest();
requestAnimationFrame(frame);

// For tests: what the last frame drew, and of what.
globalThis.example = {
  cloud,
  drawn: () => way?.drawn(),
  writeDepths,
};
