// Bundles the server and its packages to JavaScript, for the npm package and for whoever starts many servers.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { describeLicences } from './licences.ts';

const ROOT = dirname(import.meta.dirname);

/** The program, and the threads that it starts by file names of their own. */
const ENTRIES = {
  bin: 'src/bin.ts',
  'sqlite-thread': 'src/kernel/storage/sqlite-thread.ts',
  'export-thread': 'src/kernel/export/export-thread.ts',
  'item-schema-thread': 'src/actors/datasets/item-schema-thread.ts',
};

/** Drivers that `pg` tries and does without. */
const ABSENT = ['pg-native', 'cloudflare:sockets'];

export interface Bundle {
  /** What to start: `node bin`. */
  bin: string;
  bytes: number;
}

/** Replaces the folder. The whole program is inside it and needs no package from elsewhere. */
export async function bundleInto(folder: string): Promise<Bundle> {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: resolve(folder),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    external: ABSENT,
    plugins: [lazyRequires],
    // Packages in CommonJS call `require` for Node's own modules, which ES modules do not have.
    banner: {
      js: `import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);`,
    },
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs);
  const inputs = outputs.flatMap((output) => Object.keys(output.inputs));
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), describeLicences(ROOT, inputs));
  return { bin: join(folder, 'bin.js'), bytes: outputs.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What the sources load late and at once by `createRequire(…)(name)`, said in the way that esbuild follows. */
const lazyRequires: Plugin = {
  name: 'lazy requires',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(/\bcreateRequire\(import\.meta\.url\)\(/g, 'require(');
      return { contents, loader: 'ts' };
    });
  },
};

if (import.meta.main) {
  const { bin, bytes } = await bundleInto(process.argv[2] ?? join(ROOT, 'dist'));
  console.log(`${bin}, ${(bytes / 1e6).toFixed(1)} MB`);
}
