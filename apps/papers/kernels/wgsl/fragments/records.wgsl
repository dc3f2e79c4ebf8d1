// Records: keys, or keys with values, from separate arrays and back to them.
//
// Reads: VALUES; sourceKeys, targetKeys; with VALUES sourceValues, targetValues. Defines: Record,
// load, store, keyOf.

//#if VALUES
alias Record = vec2u;

fn keyOf(record: Record) -> u32 {
  return record.x;
}

fn load(at: u32) -> Record {
  return vec2u(sourceKeys[at], sourceValues[at]);
}

fn store(at: u32, record: Record) {
  targetKeys[at] = record.x;
  targetValues[at] = record.y;
}
//#else
alias Record = u32;

fn keyOf(record: Record) -> u32 {
  return record;
}

fn load(at: u32) -> Record {
  return sourceKeys[at];
}

fn store(at: u32, record: Record) {
  targetKeys[at] = record;
}
//#end
