// Discs in a box from -1 to 1, and a grid whose cells are as wide as a disc.

override count: u32;
override radius: f32;
override side: u32;   // cells in a row, and rows

struct Disc {
  place: vec2f,
  speed: vec2f,
}

struct Frame {
  gravity: vec2f,
  pointer: vec2f,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> discs: array<Disc>;
@group(0) @binding(2) var<storage, read_write> moved: array<Disc>;
@group(0) @binding(3) var<storage, read_write> cells: array<u32>;
@group(0) @binding(4) var<storage, read_write> ids: array<u32>;
@group(0) @binding(5) var<storage, read_write> starts: array<u32>;
@group(0) @binding(6) var<storage, read_write> contacts: array<u32>;
@group(0) @binding(7) var<storage, read> touched: array<u32>;

fn cellAt(place: vec2f) -> vec2u {
  return vec2u(clamp((place + 1) / 2 * f32(side), vec2f(0), vec2f(f32(side - 1))));
}

// 1. The key of each disc: its cell.
@compute @workgroup_size(64)
fn writeCells(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= count) { return; }
  let cell = cellAt(discs[id.x].place);
  cells[id.x] = cell.y * side + cell.x;
}

// 2. RadixSorter: cells in order, and the number of the disc of each.

// 3. Where each cell's discs begin. One invocation writes for its cell, and for the empty ones
//    before. So the discs of cell c are those from starts[c] to starts[c + 1].
@compute @workgroup_size(64)
fn findStarts(@builtin(global_invocation_id) id: vec3u) {
  let at = id.x;
  if (at >= count) { return; }
  var cell = 0u;
  if (at > 0) { cell = cells[at - 1] + 1; }
  for (; cell <= cells[at]; cell++) { starts[cell] = at; }
  if (at == count - 1) {
    for (; cell <= side * side; cell++) { starts[cell] = count; }
  }
}

// 4. Discs that overlap push each other away. A row of three cells is one stretch of `ids`.
@compute @workgroup_size(64)
fn collide(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= count) { return; }
  let me = discs[id.x];
  let cell = cellAt(me.place);
  let low = max(cell, vec2u(1)) - 1;
  let high = min(cell + 1, vec2u(side - 1));
  var push = vec2f();
  var touching = 0u;
  for (var row = low.y; row <= high.y; row++) {
    let end = starts[row * side + high.x + 1];
    for (var at = starts[row * side + low.x]; at < end; at++) {
      let other = discs[ids[at]];
      let away = me.place - other.place;
      let distance = length(away);
      if (ids[at] == id.x || distance >= 2 * radius) { continue; }
      touching++;
      // As two springs with some friction.
      push += away / max(distance, 1e-6) * (2 * radius - distance) * 0.35;
      push += (other.speed - me.speed) * 0.04;
    }
  }
  let stir = me.place - frame.pointer;
  push += stir * 0.1 * radius / (dot(stir, stir) + 0.01);
  var speed = (me.speed + push + frame.gravity * radius) * 0.998;
  // A disc that moves by more than itself would pass through others.
  speed *= min(1, radius / max(length(speed), 1e-6));
  var place = me.place + speed;
  let wall = vec2f(1 - radius);
  speed = select(speed, -0.5 * speed, abs(place) > wall);
  moved[id.x] = Disc(clamp(place, -wall, wall), speed);
  contacts[id.x] = touching;
}

struct Corner {
  @builtin(position) place: vec4f,
  @location(0) off: vec2f,
  @location(1) paint: vec3f,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) disc: u32) -> Corner {
  let off = vec2f(f32(vertex & 1), f32(vertex >> 1)) * 2 - 1;
  let place = discs[disc].place + off * radius;
  // Free discs are blue, those amid others orange.
  let crowd = clamp(f32(touched[disc]) / 6, 0, 1);
  let paint = mix(vec3f(0.3, 0.6, 1), vec3f(1, 0.55, 0.2), crowd);
  return Corner(vec4f(place, 0, 1), off, paint);
}

@fragment
fn paint(in: Corner) -> @location(0) vec4f {
  let far = length(in.off);
  if (far > 1) { discard; }
  return vec4f(in.paint * (1 - 0.5 * far * far), 1);
}
