/**
 * Who may import whom, as ARCHITECTURE.md draws it. Each rule names its layer by folder, so that an
 * import by package name and one by relative path are the same thing. `import type` counts like any
 * other import: it ties two packages together just as much.
 */

const anyBackend = '^packages/(webgpu|webgl2|cpu)/';
const ours = '^(packages|kernels|apps|examples)/';

/**
 * What each layer may import of ours, besides itself; conformance in its tests alone, as another
 * rule says. A backend never imports another backend.
 */
const layers = {
  core: [],
  kernels: ['packages/core'],
  webgpu: ['packages/(core|conformance)', 'kernels'],
  webgl2: ['packages/(core|conformance)', 'kernels'],
  cpu: ['packages/(core|conformance)', 'kernels'],
  files: ['packages/(core|conformance)'],
  conformance: ['packages/core'],
  arrow: ['packages/(keysweep|conformance)'],
  // Backends only for the sorter of a child process: see below.
  external: ['packages/(keysweep|core|conformance|cpu|webgpu)', 'kernels'],
  cluster: ['packages/(external|keysweep|core|conformance)'],
};

/** The folder of a layer; core is judged without its tests. */
const folderOf = (layer) =>
  ({ kernels: '^kernels/', core: '^packages/core/src/' })[layer] ?? `^packages/${layer}/`;

/** A rule that makes the check fail. */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid(
      'no-circular',
      'Files that import each other are one file, or miss a third one.',
      {},
      { circular: true },
    ),
    {
      ...forbid(
        'no-circular-folders',
        'Folders that import each other are read as one: move the file that ties them.',
        {},
        { circular: true },
      ),
      scope: 'folder',
    },
    forbid(
      'no-unresolvable',
      'An import has to lead somewhere: declare the dependency, or build the package first.',
      {},
      // With ?url Vite gives the address of a file.
      { couldNotResolve: true, pathNot: '[?]url$' },
    ),
    forbid(
      'core-runs-anywhere',
      'core uses no builtin modules of Node: it runs in pages and workers too.',
      { path: '^packages/core/src/' },
      { dependencyTypes: ['core'] },
    ),
    ...Object.entries(layers).map(([layer, known]) =>
      forbid(
        `${layer}-knows-its-layers`,
        'The table of layers says what it may import.',
        { path: folderOf(layer) },
        { path: ours, pathNot: [folderOf(layer), ...known.map((path) => `^${path}/`)] },
      ),
    ),
    forbid(
      'external-chooses-backends-in-child-processes',
      'Only the sorter of a child process, which is on a GPU or the CPU, imports backends.',
      { path: '^packages/external/', pathNot: 'src/run/processes/sorter[.]ts$' },
      { path: '^packages/(cpu|webgpu)/' },
    ),
    forbid(
      'external-needs-no-client-of-s3',
      'The client of S3 is an optional package: what imports it is the entry ./s3 alone.',
      { path: '^packages/external/src/', pathNot: '^packages/external/src/s3([.]ts$|/)' },
      { path: '^packages/external/src/s3([.]ts$|/)|@aws-sdk/' },
    ),
    forbid(
      'cluster-takes-the-entries-of-external',
      'What cluster needs of external stands in its entries; ./internal names the inner parts.',
      { path: '^packages/cluster/src/' },
      {
        path: '^packages/external/',
        pathNot: '^packages/external/dist/(index|internal|storage)[.](js|d[.]ts)$',
      },
    ),
    forbid(
      'internal-is-for-cluster',
      'The entry ./internal of external may change with any version: only cluster may rely on it.',
      { pathNot: '^packages/(external|cluster)/' },
      { path: '^packages/external/(src|dist)/internal[.]' },
    ),
    forbid(
      'files-runs-anywhere',
      'files uses no builtin modules of Node: what it reads is given to it.',
      { path: '^packages/files/src/' },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'conformance-is-for-tests',
      'Only tests, benchmarks and pages about them import the suite, its inputs and its checks.',
      {
        path: ours,
        pathNot: [
          '^packages/conformance/',
          '^(packages|apps|examples)/[^/]+/test/',
          '^apps/(bench|compare|docs|papers)/',
        ],
      },
      { path: '^packages/conformance/' },
    ),
    forbid(
      'keysweep-loads-backends-lazily',
      'A GPU backend is loaded with import(), so that nobody pays for one that is not used.',
      {
        path: '^packages/keysweep/src/',
        pathNot: '^packages/keysweep/src/(sync|sorted/run)[.]ts$',
      },
      {
        path: anyBackend,
        // The CPU's comes with the dispatcher, because the first sort goes to it.
        pathNot: '^packages/cpu/((src|dist)/index[.](ts|js)|dist/pool/index-node[.]js)$',
        dependencyTypesNot: ['dynamic-import'],
      },
    ),
    forbid(
      'sorted-sorts-plainly-at-once',
      'Kernels would be most of what a page downloads for keysweep/sorted.',
      { path: '^packages/keysweep/src/sorted/run[.]ts$' },
      { path: anyBackend, pathNot: '^packages/cpu/(src|dist)/plain[.](ts|js)$' },
    ),
    forbid(
      'sync-sorts-on-the-cpu',
      'keysweep/sync cannot wait for an import(): it takes one module of one backend.',
      { path: '^packages/keysweep/src/sync[.]ts$' },
      {
        path: anyBackend,
        pathNot: '^packages/cpu/((src|dist)/sync[.](ts|js)|dist/pool/sync-node[.]js)$',
      },
    ),
    forbid(
      'only-callers-import-sync',
      'What the asynchronous functions load has no kernels in it.',
      { path: '^packages/keysweep/src/', pathNot: '^packages/keysweep/src/bundle[.]ts$' },
      { path: '^packages/keysweep/src/sync[.]ts$' },
    ),
    forbid(
      'keysweep-stays-above-kernels',
      'Kernels are for backends.',
      { path: '^packages/keysweep/' },
      { path: ['^kernels/', '^apps/'] },
    ),
    forbid(
      'apps-import-packages',
      'An app imports packages, never kernels or another app.',
      { path: '^apps/([^/]+)/', pathNot: '^apps/papers/' },
      { path: ['^kernels/', '^apps/', '^examples/'], pathNot: '^apps/$1/' },
    ),
    forbid(
      'papers-import-one-app',
      'The sorts of the papers are measured by bench.',
      { path: '^apps/papers/' },
      { path: ['^apps/', '^examples/'], pathNot: '^apps/(papers|bench)/' },
    ),
    forbid(
      'papers-are-no-part-of-the-product',
      'Nothing imports the sorts of the papers, so none of them can get into a package.',
      { path: ours, pathNot: '^apps/papers/' },
      { path: '^apps/papers/' },
    ),
    forbid(
      'examples-use-the-public-api',
      'An example imports packages as their users do: by the names of their entries.',
      { path: '^examples/([^/]+)/' },
      {
        path: ours,
        pathNot: ['^examples/$1/', '^packages/[^/]+/(dist|test)/'],
      },
    ),
  ],
  options: {
    // TypeScript 7 has no compiler interface that other programs can use; swc's parser sees
    // type-only imports as well.
    parser: 'swc',
    // What tests install elsewhere; and the name that the cluster had while it was part of
    // external, which passes on the package above it.
    exclude: { path: ['^apps/everywhere/consumers/', '^packages/external/cluster/'] },
    // A package's imports of another end in its built files: known, but not looked into.
    doNotFollow: { path: '(^|/)(node_modules|dist|generated)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
