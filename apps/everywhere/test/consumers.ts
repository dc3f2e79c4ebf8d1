/** Where keysweep is tried: the tools of its users, and how each builds or runs it. */

import { join } from 'node:path';
import {
  esbuildForNode,
  esbuildForPages,
  parcelBuild,
  rollupForNode,
  rollupForPages,
  STRICT,
  viteBuild,
  viteDev,
  webpackForPages,
} from './bundlers.js';
import { onAnotherOrigin } from './import-map.js';
import { nextApp } from './next.js';
import { commandOf, NODE, type Project } from './project.js';
import { inJest, inVitest } from './runners.js';
import { inProcess, type Trial } from './trial.js';

export interface Consumer {
  /** What it is called in the table, which has a row for each name. */
  readonly name: string;
  /** Its npm packages, as consumers/package.json names them. */
  readonly tools: readonly string[];
  /** How it is used. */
  readonly way: string;
  /** Part of every test run. The others are for `npm run test:everywhere`. */
  readonly isCore?: boolean;
  /** keysweep says there that it has lost something. */
  readonly warns?: boolean;
  run(project: Project): Promise<Trial[]>;
}

/** Both ways of a Node. */
const node = (name: string, tools: readonly string[], command: (project: Project) => string) =>
  (['mjs', 'cjs'] as const).map((extension) => ({
    name,
    tools,
    way: extension === 'mjs' ? 'ES module' : 'CommonJS',
    isCore: tools.length === 0,
    run: (project: Project) =>
      inProcess(command(project), [`process.${extension}`], { cwd: project.folder }),
  }));

/** A version of Node that comes from npm. */
const nodeOfNpm = (version: number) =>
  node(`Node ${version}`, [`node${version}`], ({ folder }) =>
    join(folder, 'node_modules', `node${version}`, 'bin', 'node'),
  );

export const CONSUMERS: readonly Consumer[] = [
  ...node('Node of this machine', [], () => NODE),
  ...[20, 22, 24].flatMap(nodeOfNpm),
  {
    name: 'Bun',
    tools: ['bun'],
    way: 'ES module',
    run: (project) =>
      inProcess(commandOf(project, 'bun'), ['process.mjs'], { cwd: project.folder }),
  },
  {
    name: 'Deno',
    tools: ['deno'],
    way: 'ES module',
    run: (project) =>
      inProcess(commandOf(project, 'deno'), ['run', '--allow-all', 'process.mjs'], {
        cwd: project.folder,
      }),
  },
  {
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'page, ES module',
    isCore: true,
    run: esbuildForPages('esm'),
  },
  { name: 'esbuild', tools: ['esbuild'], way: 'page, script', run: esbuildForPages('iife') },
  {
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, ES module',
    isCore: true,
    run: esbuildForNode('process.mjs', 'esm'),
  },
  {
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, ES module to CommonJS',
    isCore: true,
    run: esbuildForNode('process-without-await.mjs', 'cjs'),
  },
  {
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, CommonJS',
    run: esbuildForNode('process.cjs', 'cjs'),
  },
  { name: 'rollup', tools: ['rollup'], way: 'page', run: rollupForPages },
  { name: 'rollup', tools: ['rollup'], way: 'Node, ES module', run: rollupForNode('es') },
  { name: 'rollup', tools: ['rollup'], way: 'Node, CommonJS', run: rollupForNode('cjs') },
  { name: 'webpack', tools: ['webpack'], way: 'page', isCore: true, run: webpackForPages },
  { name: 'Vite 8', tools: ['vite'], way: 'build', isCore: true, run: viteBuild('vite') },
  { name: 'Vite 8', tools: ['vite'], way: 'dev server', isCore: true, run: viteDev('vite') },
  { name: 'Vite 7', tools: ['vite7'], way: 'build', run: viteBuild('vite7') },
  { name: 'Vite 7', tools: ['vite7'], way: 'dev server', run: viteDev('vite7') },
  { name: 'Parcel', tools: ['parcel'], way: 'page', run: parcelBuild },
  { name: 'Next.js', tools: ['next'], way: 'Turbopack', run: nextApp('turbopack') },
  { name: 'Next.js', tools: ['next'], way: 'webpack', run: nextApp('webpack') },
  { name: 'Jest', tools: ['jest'], way: 'node', run: inJest('node') },
  { name: 'Jest', tools: ['jest'], way: 'jsdom', run: inJest('jsdom') },
  { name: 'Vitest', tools: ['vitest'], way: 'jsdom', run: inVitest('jsdom') },
  { name: 'an import map', tools: [], way: 'on another origin', run: onAnotherOrigin },
  {
    name: 'a strict policy',
    tools: ['vite'],
    way: 'Vite 8, build',
    warns: true,
    run: viteBuild('vite', STRICT),
  },
  {
    name: 'a strict policy',
    tools: ['esbuild'],
    way: 'esbuild, page, ES module',
    warns: true,
    run: esbuildForPages('esm', STRICT),
  },
];
