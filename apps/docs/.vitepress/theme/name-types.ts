/**
 * Shows the type of a name in a block of code, and the first words about it: of the name below the
 * pointer, or that the caret is in. Code that somebody has edited has no types.
 */

import type { TypedBlock, TypedName } from './typed-block.js';

const CODE = '.vp-doc :is(.language-js, .language-ts) code';

/** By page: what its file says; nothing if there is none, as while documents are written. */
const loaded = new Map<string, Promise<readonly TypedBlock[]>>();

function load(): Promise<readonly TypedBlock[]> {
  const page = location.pathname.replace(/\/$/, '/index').replace(/\.html$/, '');
  const address = `/types${page}.json`;
  const known = loaded.get(address);
  if (known) return known;
  const types = fetch(address)
    .then((response) => (response.ok ? response.json() : []))
    .catch(() => []);
  loaded.set(address, types);
  return types;
}

const box: HTMLElement = Object.assign(document.createElement('div'), {
  className: 'name-type',
  id: 'name-type',
  role: 'tooltip',
});
/** What is underlined, in browsers that can do so without a change of the page. */
const marks = 'highlights' in CSS ? new Highlight() : undefined;
if (marks) CSS.highlights.set('typed-name', marks);

/** The code whose name is shown. */
let described: Element | undefined;

export function hideType(): void {
  box.remove();
  marks?.clear();
  described?.removeAttribute('aria-describedby');
  described = undefined;
}

/** What a place in the document is, as all browsers can tell it. */
interface Place {
  readonly node: Node;
  readonly offset: number;
}

function placeAt(x: number, y: number): Place | undefined {
  if ('caretPositionFromPoint' in document) {
    const found = document.caretPositionFromPoint(x, y);
    return found ? { node: found.offsetNode, offset: found.offset } : undefined;
  }
  const range = (document as Document).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** How many letters of the code are before a place. */
function offsetIn(code: Element, { node, offset }: Place): number {
  const before = document.createRange();
  before.setStart(code, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** The range from one letter of the code to another. */
function rangeOf(code: Element, { from, to }: TypedName): Range {
  const range = document.createRange();
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  let passed = 0;
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const length = text.nodeValue?.length ?? 0;
    if (passed <= from && from < passed + length) range.setStart(text, from - passed);
    if (passed < to && to <= passed + length) {
      range.setEnd(text, to - passed);
      return range;
    }
    passed += length;
  }
  return range;
}

const isAround = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  left <= x && x <= right && top <= y && y <= bottom;

/** Shows the name at a place, if there is one and `accepts` its range. */
async function showName(place: Place, accepts: (name: Range) => boolean): Promise<void> {
  const { node } = place;
  const code = (node instanceof Element ? node : node.parentElement)?.closest(CODE);
  if (!code) return hideType();
  const at = offsetIn(code, place);
  const text = code.textContent?.trimEnd();
  const block = (await load()).find((one) => one.code === text);
  const name = block?.names.find(({ from, to }) => from <= at && at <= to);
  const range = name && code.isConnected ? rangeOf(code, name) : undefined;
  if (!name || !range || !accepts(range)) return hideType();
  show(code, name, range);
}

function show(code: Element, { type, about }: TypedName, range: Range): void {
  hideType();
  const shown = document.createElement('code');
  shown.textContent = type;
  box.replaceChildren(shown, about);
  // It goes where the page goes, and touches the name, so that the pointer can move into it.
  code.closest('.vp-doc')?.append(box);
  const { left, bottom } = range.getBoundingClientRect();
  const origin = (box.offsetParent ?? document.body).getBoundingClientRect();
  const most = document.documentElement.clientWidth - box.offsetWidth - 8;
  box.style.left = `${Math.max(8, Math.min(left, most)) - origin.left}px`;
  box.style.top = `${Math.floor(bottom - origin.top)}px`;
  marks?.add(range);
  described = code;
  code.setAttribute('aria-describedby', box.id);
}

/** The pointer is at a place of the window. */
export function pointAt({ target, clientX: x, clientY: y }: MouseEvent): void {
  // What is shown can be read, and its text selected.
  if (box.contains(target as Node)) return;
  const place = (target as Element).closest(CODE) ? placeAt(x, y) : undefined;
  if (!place) {
    hideType();
    return;
  }
  void showName(place, (name) => [...name.getClientRects()].some((area) => isAround(area, x, y)));
}

/** The caret has moved. */
export function readCaret(): void {
  const { anchorNode: node, anchorOffset: offset, isCollapsed } = getSelection() ?? {};
  if (node && isCollapsed && offset !== undefined) void showName({ node, offset }, () => true);
}
