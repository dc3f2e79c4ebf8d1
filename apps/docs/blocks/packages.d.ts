/** Packages that blocks of code name, and that are not installed here. */

declare module 'ag-grid-community';
declare module 'express';
