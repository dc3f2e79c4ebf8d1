/** A table that holds only the rows that are seen. */

const ROW_HEIGHT = 30;

/**
 * Browsers limit how tall an element can be, Firefox to 17.8 million pixels. A taller table is
 * scrolled by its share: half way down the scrollbar is half way down the rows.
 */
const TALLEST = 15_000_000;

/** Shows `rowCount` rows in `scroller`. `cellsAt(place)` gives the texts of a row. */
export function makeGrid(scroller, rowCount, cellsAt) {
  const spacer = scroller.querySelector('#spacer');
  const head = scroller.querySelector('thead');
  const body = scroller.querySelector('tbody');
  const table = scroller.querySelector('table');
  table.ariaRowCount = `${rowCount + 1}`;

  function draw() {
    const room = Math.floor((scroller.clientHeight - head.offsetHeight) / ROW_HEIGHT);
    const shown = Math.min(room, rowCount);
    spacer.style.height = `${Math.min(head.offsetHeight + rowCount * ROW_HEIGHT, TALLEST)}px`;
    const most = scroller.scrollHeight - scroller.clientHeight;
    const share = most > 0 ? scroller.scrollTop / most : 0;
    const first = Math.round(share * (rowCount - shown));
    while (body.rows.length > shown) body.deleteRow(-1);
    while (body.rows.length < shown) body.insertRow();
    for (let i = 0; i < shown; i++) {
      const row = body.rows[i];
      row.ariaRowIndex = `${first + i + 2}`;
      const texts = cellsAt(first + i);
      while (row.cells.length < texts.length) row.insertCell();
      texts.forEach((text, column) => {
        row.cells[column].textContent = text;
      });
    }
  }

  scroller.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(scroller);
  return { draw };
}
