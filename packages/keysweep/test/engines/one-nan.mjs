/** Imported first, makes the engine's own sort write one NaN for all, as JavaScriptCore's does. */

const prototype = Object.getPrototypeOf(Uint8Array.prototype);
const { sort } = prototype;

prototype.sort = function (compare) {
  // A NaN that is written anew has the bits of NaN itself.
  if (compare === undefined && typeof this[0] === 'number') {
    for (let i = 0; i < this.length; i++) if (Number.isNaN(this[i])) this[i] = Number.NaN;
  }
  return sort.call(this, compare);
};
