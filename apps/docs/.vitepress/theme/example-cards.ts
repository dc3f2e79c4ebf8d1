/** A card for each example: its picture, if the build could make one, and where it runs. */

import { type FunctionalComponent, h } from 'vue';
import { data } from '../examples.data.js';

export const ExampleCards: FunctionalComponent = () =>
  h(
    'ul',
    { class: 'cards', role: 'list' },
    data.map(({ title, about, page, live, picture }) =>
      h('li', { class: 'card' }, [
        picture === undefined
          ? undefined
          : h('img', { src: picture, alt: '', width: 960, height: 600, loading: 'lazy' }),
        h('strong', title),
        h('p', about),
        h('p', { class: 'ways' }, [
          // A page of its own, which the router of this site doesn't know.
          live &&
            h('a', { href: live, target: '_self', 'aria-label': `Run it: ${title}` }, 'Run it'),
          h('a', { href: page, 'aria-label': `How it works: ${title}` }, 'How it works'),
        ]),
      ]),
    ),
  );
