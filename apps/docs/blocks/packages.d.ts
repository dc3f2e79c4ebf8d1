/** Packages that blocks of code name, and that are not installed here. */

declare module 'express';
