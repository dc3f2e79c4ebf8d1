/**
 * Panels, one of which is shown: see ../../tabs.ts. A choice holds for all pages and stays. Without
 * scripts, and in print, all panels are shown one below the other.
 */

import {
  defineComponent,
  h,
  nextTick,
  onBeforeUnmount,
  onMounted,
  type PropType,
  reactive,
  ref,
  useId,
} from 'vue';

/** By name of the tabs: the label that the reader chose last, on whatever page. */
const chosen = reactive<Record<string, string>>({});

const keyOf = (name: string): string => `keysweep-tab-${name}`;

/** Where storage is forbidden, a choice lasts as long as the page. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** How far each key goes, of `count` tabs. */
const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export const Tabs = defineComponent({
  props: {
    name: { type: String, required: true },
    labels: { type: Array as PropType<readonly string[]>, required: true },
  },
  setup({ name, labels }, { slots }) {
    const id = useId();
    const root = ref<HTMLElement>();
    const idOf = (kind: 'tab' | 'panel', at: number): string => `${id}-${kind}-${at}`;

    function choose(at: number): void {
      const label = labels[at] as string;
      chosen[name] = label;
      attempt(() => localStorage.setItem(keyOf(name), label));
    }

    function onKeydown(event: KeyboardEvent, from: number): void {
      const at = MOVES[event.key]?.(from, labels.length);
      if (at === undefined) return;
      event.preventDefault();
      choose(at);
      document.getElementById(idOf('tab', at))?.focus();
    }

    /** An address may name a heading within a panel. */
    async function showTarget(): Promise<void> {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target || !root.value?.contains(target)) return;
      const panels = [...root.value.querySelectorAll(':scope > .panel')];
      chosen[name] = labels[panels.findIndex((panel) => panel.contains(target))] ?? '';
      await nextTick();
      target.scrollIntoView();
    }

    onMounted(() => {
      const label = attempt(() => localStorage.getItem(keyOf(name)));
      if (label) chosen[name] ??= label;
      void showTarget();
      window.addEventListener('hashchange', showTarget);
    });
    onBeforeUnmount(() => window.removeEventListener('hashchange', showTarget));

    return () => {
      const shown = Math.max(0, labels.indexOf(chosen[name] ?? ''));
      const tabs = labels.map((label, at) =>
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            id: idOf('tab', at),
            'aria-controls': idOf('panel', at),
            'aria-selected': at === shown,
            tabindex: at === shown ? 0 : -1,
            onClick: () => choose(at),
            onKeydown: (event: KeyboardEvent) => onKeydown(event, at),
          },
          label,
        ),
      );
      const panels = labels.map((label, at) =>
        h(
          'div',
          {
            role: 'tabpanel',
            id: idOf('panel', at),
            'aria-labelledby': idOf('tab', at),
            'data-label': label,
            class: ['panel', { shown: at === shown }],
          },
          slots[`panel${at}`]?.(),
        ),
      );
      return h('div', { ref: root, class: ['tabs', name] }, [
        h('div', { role: 'tablist', 'aria-label': name }, tabs),
        ...panels,
      ]);
    };
  },
});
