const headers = (...names) =>
  names.map((name) => ({
    key: `Cross-Origin-${name}-Policy`,
    value: name === 'Opener' ? 'same-origin' : 'require-corp',
  }));

export default {
  distDir: process.env.DIST,
  headers: () => [
    { source: '/isolated', headers: headers('Opener', 'Embedder') },
    // What an isolated page's workers are loaded from.
    { source: '/_next/:path*', headers: headers('Embedder') },
  ],
};
