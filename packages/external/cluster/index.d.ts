/** The name that @keysweep/cluster had before it was a package: nothing of external imports it. */
export * from '@keysweep/cluster';
