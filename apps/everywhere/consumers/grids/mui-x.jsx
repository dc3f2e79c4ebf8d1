/** MUI X Data Grid twice: as the documents have it, and with its own sort. */

import { DataGrid } from '@mui/x-data-grid';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { dataSourceOf } from './mui-x-recipe.js';
import { collator, people } from './people.js';

const columns = [
  { field: 'id', type: 'number' },
  { field: 'name', sortComparator: collator.compare },
  { field: 'city' },
  { field: 'age', type: 'number' },
];
const dataSource = dataSourceOf(people, {
  name: { collator },
  city: { collator: new Intl.Collator() },
});
const report = (error) =>
  queueMicrotask(() => {
    throw error;
  });

/** Both have the first's order and page. */
function Grids() {
  const [sortModel, setSortModel] = useState([]);
  const [paginationModel, setPaginationModel] = useState({ page: 0, pageSize: 10 });
  const state = { columns, paginationModel, pageSizeOptions: [10], sortModel };
  return (
    <>
      <div id="ours">
        <DataGrid
          {...state}
          dataSource={dataSource}
          pagination
          onDataSourceError={report}
          onSortModelChange={setSortModel}
          onPaginationModelChange={setPaginationModel}
        />
      </div>
      <div id="own">
        <DataGrid {...state} rows={people} />
      </div>
    </>
  );
}

createRoot(document.querySelector('main')).render(<Grids />);
