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

/** The rows of the short table. */
type Kind =
  | 'runtimes'
  | 'bundles for Node'
  | 'bundles for pages'
  | 'Next.js'
  | 'test runners'
  | 'no bundler'
  | 'a strict policy';

export interface Consumer {
  readonly kind: Kind;
  /** What it is called in the long table, which has a row for each name. */
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
    kind: 'runtimes' as const,
    name,
    tools,
    way: extension === 'mjs' ? 'ES module' : 'CommonJS',
    run: (project: Project) =>
      inProcess(command(project), [`process.${extension}`], { cwd: project.folder }),
  }));

/** A version of Node that comes from npm. */
const nodeOfNpm = (version: number) =>
  node(`Node ${version}`, [`node${version}`], ({ folder }) =>
    join(folder, 'node_modules', `node${version}`, 'bin', 'node'),
  );

/** The Node that runs the tests. */
const NODE_HERE: readonly Consumer[] = node('Node', [], () => NODE);

export const CONSUMERS: readonly Consumer[] = [
  ...[20, 22, 24].flatMap(nodeOfNpm),
  {
    kind: 'runtimes',
    name: 'Bun',
    tools: ['bun'],
    way: 'ES module',
    run: (project) =>
      inProcess(commandOf(project, 'bun'), ['process.mjs'], { cwd: project.folder }),
  },
  {
    kind: 'runtimes',
    name: 'Deno',
    tools: ['deno'],
    way: 'ES module',
    run: (project) =>
      inProcess(commandOf(project, 'deno'), ['run', '--allow-all', 'process.mjs'], {
        cwd: project.folder,
      }),
  },
  {
    kind: 'bundles for pages',
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'page, ES module',
    isCore: true,
    run: esbuildForPages('esm'),
  },
  {
    kind: 'bundles for pages',
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'page, script',
    run: esbuildForPages('iife'),
  },
  {
    kind: 'bundles for Node',
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, ES module',
    isCore: true,
    run: esbuildForNode('process.mjs', 'esm'),
  },
  {
    kind: 'bundles for Node',
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, ES module to CommonJS',
    isCore: true,
    run: esbuildForNode('process-without-await.mjs', 'cjs'),
  },
  {
    kind: 'bundles for Node',
    name: 'esbuild',
    tools: ['esbuild'],
    way: 'Node, CommonJS',
    run: esbuildForNode('process.cjs', 'cjs'),
  },
  {
    kind: 'bundles for pages',
    name: 'rollup',
    tools: ['rollup'],
    way: 'page',
    run: rollupForPages,
  },
  {
    kind: 'bundles for Node',
    name: 'rollup',
    tools: ['rollup'],
    way: 'Node, ES module',
    run: rollupForNode('es'),
  },
  {
    kind: 'bundles for Node',
    name: 'rollup',
    tools: ['rollup'],
    way: 'Node, CommonJS',
    run: rollupForNode('cjs'),
  },
  {
    kind: 'bundles for pages',
    name: 'webpack',
    tools: ['webpack'],
    way: 'page',
    isCore: true,
    run: webpackForPages,
  },
  {
    kind: 'bundles for pages',
    name: 'Vite 8',
    tools: ['vite'],
    way: 'build',
    isCore: true,
    run: viteBuild('vite'),
  },
  {
    kind: 'bundles for pages',
    name: 'Vite 8',
    tools: ['vite'],
    way: 'dev server',
    isCore: true,
    run: viteDev('vite'),
  },
  {
    kind: 'bundles for pages',
    name: 'Vite 7',
    tools: ['vite7'],
    way: 'build',
    run: viteBuild('vite7'),
  },
  {
    kind: 'bundles for pages',
    name: 'Vite 7',
    tools: ['vite7'],
    way: 'dev server',
    run: viteDev('vite7'),
  },
  { kind: 'bundles for pages', name: 'Parcel', tools: ['parcel'], way: 'page', run: parcelBuild },
  {
    kind: 'Next.js',
    name: 'Next.js',
    tools: ['next'],
    way: 'Turbopack',
    run: nextApp('turbopack'),
  },
  { kind: 'Next.js', name: 'Next.js', tools: ['next'], way: 'webpack', run: nextApp('webpack') },
  { kind: 'test runners', name: 'Jest', tools: ['jest'], way: 'node', run: inJest('node') },
  { kind: 'test runners', name: 'Jest', tools: ['jest'], way: 'jsdom', run: inJest('jsdom') },
  { kind: 'test runners', name: 'Vitest', tools: ['vitest'], way: 'jsdom', run: inVitest('jsdom') },
  {
    kind: 'no bundler',
    name: 'an import map on another origin',
    tools: [],
    way: 'page',
    run: onAnotherOrigin,
  },
  {
    kind: 'a strict policy',
    name: 'a strict policy',
    tools: [],
    way: 'Vite 8, build',
    warns: true,
    run: viteBuild('vite', STRICT),
  },
  {
    kind: 'a strict policy',
    name: 'a strict policy',
    tools: [],
    way: 'esbuild, page, ES module',
    warns: true,
    run: esbuildForPages('esm', STRICT),
  },
];

/** Those of every test run. */
export const CORE: readonly Consumer[] = [
  ...NODE_HERE,
  ...CONSUMERS.filter(({ isCore }) => isCore),
];
