/** AG Grid twice: as the documents have it, and with its own sort. */

import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community';
import { datasourceOf } from './ag-grid-recipe.js';
import { collator, people } from './people.js';

ModuleRegistry.registerModules([AllCommunityModule]);
const columnDefs = [
  { field: 'id' },
  { field: 'name', comparator: collator.compare },
  { field: 'city' },
  { field: 'age' },
];
const datasource = datasourceOf(people, { name: { collator } });
const [first, second] = document.querySelectorAll('main > div');
globalThis.ours = createGrid(first, { columnDefs, rowModelType: 'infinite', datasource });
globalThis.own = createGrid(second, { columnDefs, rowData: people });
