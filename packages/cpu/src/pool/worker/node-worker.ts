/** A worker thread in Node, of piscina. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { type CrewSetup, joinCrew } from './crew.js';

/** The one call that piscina makes to each thread. */
export default function work(): Promise<void> {
  return joinCrew(workerData as CrewSetup);
}
