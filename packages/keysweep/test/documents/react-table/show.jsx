/** A page with a table: `?seed=…&rows=…`. */

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeRows } from './rows.js';

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
const columns = [
  { title: 'Row', key: 'id' },
  { title: 'Name', key: 'name', collator },
  { title: 'City', key: 'city' },
  { title: 'Born', key: 'born', text: ({ born }) => born.toISOString().slice(0, 10) },
];

export function show(Table) {
  const search = new URLSearchParams(location.search);
  const rows = makeRows(Number(search.get('seed')), Number(search.get('rows')));
  createRoot(document.body.appendChild(document.createElement('main'))).render(
    <StrictMode>
      <Table rows={rows} columns={columns} />
    </StrictMode>,
  );
}
