/** Clicks on headers become columns of `argsortTable`. No row moves: the page shows order[i]. */

import { argsortTable } from '@keysweep/arrow';
import { makeFlights } from './flights.js';
import { makeGrid } from './grid.js';

const status = document.querySelector('#status');
const headRow = document.querySelector('thead tr');
const several = document.querySelector('#several');
const scroller = document.querySelector('#scroller');
document.querySelector('#isolation').toggleAttribute('hidden', crossOriginIsolated);

// Few people look into the console: what went wrong is said on the page.
const say = (sentence) => {
  status.textContent = sentence;
};
addEventListener('error', ({ error }) => error && say(error.message));
addEventListener('unhandledrejection', ({ reason }) => say(reason.message));

const rowCount = Number(new URLSearchParams(location.search).get('rows') ?? 1_000_000);
if (!Number.isInteger(rowCount) || rowCount < 1) {
  throw new RangeError('?rows= takes a whole number from 1 on.');
}
const table = makeFlights(rowCount);
const columns = table.schema.fields.map((_, i) => table.getChildAt(i));
const names = table.schema.fields.map(({ name }) => name);

const toText = {
  date: (day) => new Date(day).toISOString().slice(0, 10),
  delay: (minutes) => (minutes === null ? 'cancelled' : `${minutes} min`),
  distance: (kilometres) => `${Math.round(kilometres).toLocaleString('en')} km`,
};

/** The row that each place shows: at first every row at its own. */
let order = Uint32Array.from({ length: rowCount }, (_, row) => row);
const grid = makeGrid(scroller, rowCount, (place) =>
  columns.map((column, i) => (toText[names[i]] ?? String)(column.get(order[place]))),
);

/** What is sorted by, the most important first: `{ column, order }`. */
let sortColumns = [];
/** Ends the sort under way when another one is asked for. */
let running = new AbortController();

async function sortBy(columns) {
  sortColumns = columns;
  showArrows();
  running.abort();
  running = new AbortController();
  let report;
  try {
    order = await argsortTable(
      table,
      columns.map((column) => ({ ...column, nulls: 'last' })),
      { signal: running.signal, onReport: (result) => (report = result) },
    );
  } catch (error) {
    // A newer click has taken over. Anything else is a fault.
    if (error.name === 'AbortError') return;
    throw error;
  }
  scroller.scrollTop = 0;
  grid.draw();
  const { backend, milliseconds, threads } = report;
  const where = threads > 1 ? `${backend}, ${threads} threads` : backend;
  const time = milliseconds.total.toFixed(milliseconds.total < 10 ? 1 : 0);
  say(`${rowCount.toLocaleString('en')} rows sorted in ${time} ms (${where}).`);
}

/** What a click on a header asks for. */
function columnsAfterClick(column, isAdded) {
  const before = sortColumns.find((other) => other.column === column);
  const isTurned = before?.order === 'ascending';
  const clicked = { column, order: isTurned ? 'descending' : 'ascending' };
  if (!isAdded) return [clicked];
  return before
    ? sortColumns.map((other) => (other === before ? clicked : other))
    : [...sortColumns, clicked];
}

function showArrows() {
  for (const [i, header] of [...headRow.children].entries()) {
    const place = sortColumns.findIndex(({ column }) => column === names[i]);
    header.ariaSort = sortColumns[place]?.order ?? 'none';
    // Numbers say which column counts most, where there are several.
    const rank = place >= 0 && sortColumns.length > 1 ? `${place + 1}` : '';
    header.querySelector('.rank').textContent = rank;
  }
}

for (const name of names) {
  const header = document.createElement('th');
  header.scope = 'col';
  header.innerHTML = `<button type="button">${name}<span class="rank"></span></button>`;
  header.addEventListener('click', ({ shiftKey }) =>
    sortBy(columnsAfterClick(name, shiftKey || several.matches(':checked'))),
  );
  headRow.append(header);
}
showArrows();
grid.draw();
say(`${rowCount.toLocaleString('en')} rows, in no order.`);
