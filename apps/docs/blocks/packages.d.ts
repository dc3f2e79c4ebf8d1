/** Packages that blocks of code name, and that are not installed here. */

declare module '@babylonjs/core/*';
declare module '@luma.gl/core';
declare module '@luma.gl/webgpu';
declare module '@tensorflow/tfjs-backend-webgpu';
declare module '@tensorflow/tfjs-core';
declare module 'ag-grid-community';
declare module 'express';
declare module 'onnxruntime-web/webgpu';
declare module 'typegpu';
