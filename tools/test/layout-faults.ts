/**
 * What a test finds wrong with a page's layout. It is sent to a browser as text, and refers to
 * nothing outside of itself.
 */

/** What cannot be seen, because it is cut off or lies beside the window. */
export function layoutFaults(page: Document): string[] {
  const view = page.defaultView as Window & typeof globalThis;
  const { clientWidth: width, scrollWidth } = page.documentElement;
  const faults = scrollWidth > width ? [`scrolls sideways, to ${scrollWidth}`] : [];
  /** The nearest element around that scrolls, or that is no part of the flow, as a menu. */
  const isElsewhere = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { overflowX, position } = view.getComputedStyle(at);
      if (position === 'fixed') return true;
      if (at !== element && /auto|scroll/.test(overflowX)) return (at as HTMLElement).tabIndex >= 0;
    }
    return false;
  };
  for (const element of page.querySelectorAll<HTMLElement>('body *')) {
    const { left, right, width: wide, height } = element.getBoundingClientRect();
    if (wide <= 1 || height <= 1 || !element.textContent?.trim()) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest('svg, .visually-hidden, .skip')) continue;
    const text = `<${element.localName} class="${element.className}"> ${element.textContent}`;
    const what = text.replace(/\s+/g, ' ').slice(0, 100);
    const isCut =
      /hidden|clip/.test(view.getComputedStyle(element).overflowX) &&
      element.scrollWidth > element.clientWidth + 1;
    if (isCut) faults.push(`cuts off: ${what}`);
    if ((right > width + 1 || left < -1) && !isElsewhere(element)) {
      faults.push(`from ${Math.round(left)} to ${Math.round(right)}: ${what}`);
    }
  }
  return faults;
}
