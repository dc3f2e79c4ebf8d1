/** Orders of the CPU, drawn by three.js. The order is the index of the points' geometry. */

import {
  BufferAttribute,
  BufferGeometry,
  Points,
  Scene,
  ShaderMaterial,
  Vector2,
  WebGLRenderer,
} from 'three';
import { viewOf } from './cloud.js';
import { ago, percent } from './figures.js';

const VERTEX = `
  attribute vec4 colour;
  uniform float radius;
  uniform vec2 size;
  varying vec4 paint;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = max(1.0, radius * projectionMatrix[1][1] * size.y / gl_Position.w);
    paint = colour;
  }`;

const FRAGMENT = `
  varying vec4 paint;
  void main() {
    vec2 off = 2.0 * gl_PointCoord - 1.0;
    float alpha = paint.a * exp(-3.0 * dot(off, off));
    gl_FragColor = vec4(paint.rgb, alpha);
  }`;

export function makeCpuWay(cloud, sorter, onFailure) {
  const renderer = new WebGLRenderer();
  renderer.setClearColor(0x0b0f16);
  const uniforms = { radius: { value: cloud.radius }, size: { value: new Vector2() } };
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(cloud.positions, 3));
  geometry.setAttribute('colour', new BufferAttribute(cloud.colours, 4, true));
  const material = new ShaderMaterial({
    uniforms,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthTest: false,
  });
  const scene = new Scene();
  const points = new Points(geometry, material);
  points.frustumCulled = false;
  scene.add(points);

  // Two arrays: one is drawn, while the next order is written into the other.
  let spare = new Uint32Array(cloud.count);
  const index = new BufferAttribute(new Uint32Array(cloud.count), 1);
  let drawn;
  let isSorting = false;
  let frame = 0;
  /** When the first sort began, and how long sorts have taken since then, in milliseconds. */
  let begin;
  let busy = 0;

  async function sort(view) {
    isSorting = true;
    const [startFrame, start] = [frame, performance.now()];
    begin ??= start;
    const order = await sorter.sort(view, spare);
    spare = index.array;
    index.array = order;
    index.needsUpdate = true;
    geometry.setIndex(index);
    const milliseconds = performance.now() - start;
    busy += milliseconds;
    drawn = { order, view, startFrame, milliseconds };
    isSorting = false;
  }

  return {
    canvas: renderer.domElement,
    resize(width, height) {
      renderer.setSize(width, height, false);
      renderer.getDrawingBufferSize(uniforms.size.value);
    },
    draw(camera) {
      frame++;
      if (!isSorting) sort(viewOf(camera)).catch(({ message }) => onFailure(message));
      if (drawn === undefined) return false;
      renderer.render(scene, camera);
      return true;
    },
    figures: () => [
      `a sort takes ${drawn.milliseconds.toFixed(1)} ms`,
      `sorts run ${percent(busy / (performance.now() - begin))} of the time`,
      `order of ${ago(frame - drawn.startFrame)}`,
    ],
    /** What the last frame showed, and whence: for the test. */
    drawn: async () => drawn && { order: drawn.order, view: drawn.view },
    close() {
      sorter.close();
      geometry.dispose();
      material.dispose();
      renderer.dispose();
    },
  };
}
