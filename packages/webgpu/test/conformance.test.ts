import './software-gpu.js';
import { describeBackend } from '@keysweep/conformance';
import { webgpu } from '@keysweep/webgpu';
import { LENGTHS } from './lengths.js';

describeBackend({ name: 'webgpu', create: () => webgpu(), lengths: LENGTHS, thorough: false });
