// The build of the console: hashed files with relative addresses, so that the server may be mounted below any path.
import { defineConfig } from 'vite';

/** Files of a few hundred bytes cost a browser more than the bytes: what several pages use comes in one file, with its section. */
const SECTIONS = ['flags', 'actors', 'host', 'account'];
const shared = { includeDependenciesRecursively: false, maxModuleSize: 12_000 };
const groups = [
  { ...shared, name: 'kit', test: /\/console\/(?:ui|lib)\//, minShareCount: 4 },
  ...SECTIONS.map((name) => ({
    ...shared,
    name,
    test: new RegExp(`/console/${name}/`),
    minShareCount: 3,
  })),
];

export default defineConfig(({ command }) => ({
  // While developing, the server passes these paths on.
  base: command === 'serve' ? '/console/' : './',
  // The server puts a new value in its place each time that it sends the page.
  html: { cspNonce: 'NONCE' },
  // The page comes from the server; only the news of changed sources come from here.
  server: { hmr: { host: '127.0.0.1', clientPort: 5173 } },
  build: {
    target: 'es2023',
    // The first versions with light-dark(): translated for older ones, it would be fixed at the top of the page,
    // and a section could have no theme of its own.
    cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Packages mark what runs in browsers; here all does.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: { codeSplitting: { groups } },
    },
  },
}));
