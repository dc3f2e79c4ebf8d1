/** Finds and makes elements of the page. */

/**
 * The element of the page with an id.
 * @throws Error if there is none, or it is another kind of element
 */
export function byId<E extends Element = HTMLElement>(
  id: string,
  kind: new () => E = HTMLElement as unknown as new () => E,
): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} called ${id}`);
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with attributes (true: present, false or undefined: absent) and what is in it. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? '' : `${value}`);
  }
  element.append(...children);
  return element;
}

/** An option of a select. */
export const option = (value: string, text: string): HTMLOptionElement =>
  make('option', { value }, text);

/** Shows `text` in a notice, or hides it for an empty one. */
export function notify(notice: HTMLElement, text: string): void {
  notice.textContent = text;
  notice.classList.remove('bad');
  notice.hidden = text === '';
}

/** Shows in a notice what has gone wrong. */
export function warn(notice: HTMLElement, text: string): void {
  notify(notice, text);
  notice.classList.add('bad');
}

/** Shows uncaught errors in `notice`, because few readers open a console. */
export function showErrors(notice: HTMLElement): void {
  const show = (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    warn(notice, `Something went wrong: ${message}`);
  };
  addEventListener('error', (event) => show(event.error ?? event.message));
  addEventListener('unhandledrejection', (event) => show(event.reason));
}

/** Makes the browser save `blob` as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Puts text on the clipboard; false where the browser does not let it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
