// Points in view get a depth and a place in a list. Drawn are those of the list, in its order.

struct View {
  clip: mat4x4f,   // from the world to the screen
  depth: vec4f,    // of a point: dot(depth, vec4f(point, 1))
  radius: vec2f,   // of a point at distance 1, in parts of half the screen
}

// What drawIndirect reads. The number of instances is the number of keys to sort, too.
struct Draw {
  vertices: u32,
  instances: atomic<u32>,
  firstVertex: u32,
  firstInstance: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read_write> depths: array<f32>;
@group(0) @binding(3) var<storage, read_write> ids: array<u32>;
@group(0) @binding(4) var<storage, read_write> drawn: Draw;
@group(0) @binding(5) var<storage, read> colours: array<u32>;
@group(0) @binding(6) var<storage, read> sorted: array<u32>;

fn positionOf(i: u32) -> vec4f {
  return vec4f(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], 1);
}

@compute @workgroup_size(256)
fn cull(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&positions) / 3) { return; }
  let place = view.clip * positionOf(i);
  if (any(abs(place.xy) > vec2f(1.05 * place.w))) { return; }
  let at = atomicAdd(&drawn.instances, 1);
  depths[at] = dot(view.depth, positionOf(i));
  ids[at] = i;
}

struct Corner {
  @builtin(position) place: vec4f,
  @location(0) off: vec2f,
  @location(1) paint: vec4f,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let i = sorted[instance];
  let off = vec2f(f32(vertex & 1), f32(vertex >> 1)) * 2 - 1;
  var place = view.clip * positionOf(i);
  place += vec4f(off * view.radius, 0, 0);
  // three.js puts z between -w and w, WebGPU between 0 and w.
  place.z = (place.z + place.w) / 2;
  return Corner(place, off, unpack4x8unorm(colours[i]));
}

@fragment
fn paint(in: Corner) -> @location(0) vec4f {
  return vec4f(in.paint.rgb, in.paint.a * exp(-3 * dot(in.off, in.off)));
}
