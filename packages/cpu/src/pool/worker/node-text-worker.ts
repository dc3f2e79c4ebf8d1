/** The code of a thread of text-threads-node.ts. The build makes a text of it. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type CrewSetup, joinCrew } from './crew.js';

const port = parentPort as MessagePort;

// The thread has loaded its code: it can be ended.
port.postMessage('loaded');
joinCrew(workerData as CrewSetup).then(() => port.postMessage('joined'));
