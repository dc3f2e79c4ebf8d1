// Where keys and values lie, by LAYOUT: 0, in separate arrays; 1, hybrid, in pairs, with the keys
// alone a second time; 2, in pairs.
//
// Reads: VALUES, LAYOUT. Defines: Record, keyOf, load, store, loadKey.

//#if LAYOUT == 0
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
//#if VALUES
@group(0) @binding(4) var<storage, read> sourceValues: array<u32>;
@group(0) @binding(5) var<storage, read_write> targetValues: array<u32>;
//#end
//#include fragments/records.wgsl

fn loadKey(at: u32) -> u32 {
  return sourceKeys[at];
}
//#else
@group(0) @binding(1) var<storage, read> sourcePairs: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> targetPairs: array<vec2u>;
//#if LAYOUT == 1
@group(0) @binding(4) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(5) var<storage, read_write> targetKeys: array<u32>;
//#end
alias Record = vec2u;

fn keyOf(record: Record) -> u32 {
  return record.x;
}

fn load(at: u32) -> Record {
  return sourcePairs[at];
}

fn store(at: u32, record: Record) {
  targetPairs[at] = record;
//#if LAYOUT == 1
  targetKeys[at] = record.x;
//#end
}

fn loadKey(at: u32) -> u32 {
//#if LAYOUT == 1
  return sourceKeys[at];
//#else
  return sourcePairs[at].x;
//#end
}
//#end
