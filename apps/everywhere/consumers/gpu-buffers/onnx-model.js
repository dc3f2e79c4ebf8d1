/** The smallest of language models: `logits` are `hidden`, rows of `width` floats, × weights. */

const utf8 = new TextEncoder();

/** Protocol buffers: a number, and the fields that hold one, bytes or a text. */
const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(Math.floor(n / 128))]);
const number = (field, n) => [...varint(8 * field), ...varint(n)];
const block = (field, bytes) => [...varint(8 * field + 2), ...varint(bytes.length), ...bytes];
const text = (field, string) => block(field, utf8.encode(string));

const FLOAT = 1;

/** A matrix of floats that goes in or out. */
function matrix(name, columns) {
  const shape = [...block(1, text(2, 'rows')), ...block(1, number(1, columns))];
  return [...text(1, name), ...block(2, block(1, [...number(1, FLOAT), ...block(2, shape)]))];
}

/** The bytes of an ONNX file. `weights`: `width` rows of a float for each token. */
export function makeModel(weights, width, tokens) {
  const bytes = new Uint8Array(weights.buffer);
  const node = [...text(1, 'hidden'), ...text(1, 'weights'), ...text(2, 'logits')];
  const constant = [...number(1, width), ...number(1, tokens), ...number(2, FLOAT)];
  const graph = [
    ...block(1, [...node, ...text(4, 'MatMul')]),
    ...text(2, 'model'),
    ...block(5, [...constant, ...text(8, 'weights'), ...block(9, bytes)]),
    ...block(11, matrix('hidden', width)),
    ...block(12, matrix('logits', tokens)),
  ];
  const operators = [...text(1, ''), ...number(2, 17)];
  return Uint8Array.from([...number(1, 8), ...block(8, operators), ...block(7, graph)]);
}
