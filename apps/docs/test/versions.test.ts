/** The menu of versions says what the changelog says. */

import { expect, it } from 'vitest';
import { readVersions, versionMenu } from '../versions.js';

const CHANGELOG = `# Changelog

## Unreleased

- New.

## 0.2.0, not published

### Sorting
- Old.
`;

it('versions are the sections of the changelog, with what they have changed', () => {
  expect(readVersions(CHANGELOG)).toEqual([
    { title: 'Unreleased', changes: '- New.' },
    { title: '0.2.0, not published', changes: '### Sorting\n- Old.' },
  ]);
});

it('the menu is called by this version, and leads to each section and the feed', () => {
  const { text, items } = versionMenu(readVersions(CHANGELOG), '0.2.0');
  expect(text).toBe('0.2.0');
  expect(items.map(({ link }) => link)).toEqual([
    '/changelog#unreleased',
    '/changelog#020-not-published',
    '/changelog.xml',
  ]);
});
