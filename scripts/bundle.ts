// Bundles the server and its packages to JavaScript, for the npm package and for test runs that start many servers.
import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import type * as esbuild from 'esbuild';
import { describeLicences } from './licences.ts';

const ROOT = dirname(import.meta.dirname);

/** A clone that only serves has it among the build tools of the console. */
const requireTool = createRequire(join(ROOT, 'console/package.json'));

/** The program, and the worker threads and programs that it starts by file name. */
const ENTRIES = {
  bin: 'src/bin.ts',
  'sqlite-thread': 'src/kernel/storage/sqlite/sqlite-thread.ts',
  'export-thread': 'src/actors/export/export-thread.ts',
  'input-thread': 'src/actors/input/input-thread.ts',
  'item-schema-thread': 'src/actors/datasets/item-schema-thread.ts',
  'sarif-thread': 'src/host/code-scanning/sarif/sarif-thread.ts',
  'markdown-thread': 'src/host/contents/markdown-thread.ts',
  'backup-thread': 'src/app/backup/backup-thread.ts',
  'disk-thread': 'src/actors/runner/disk-thread.ts',
  'launcher-process': 'src/host/git/process/launcher-process.ts',
  bridge: 'src/actors/runner/isolation/bridge.ts',
};

/** Optional drivers that `pg` tries to load. */
const ABSENT = ['pg-native', 'cloudflare:sockets'];

export interface Bundle {
  /** The file to run with Node. */
  bin: string;
  bytes: number;
  /** The files that it was made from. */
  inputs: string[];
}

/** Replaces the folder. The bundle needs no other packages. */
export async function bundleInto(folder: string): Promise<Bundle> {
  const bundle = await bundleProgram(folder, ROOT);
  await cp(join(ROOT, 'docs/openapi/examples'), join(folder, 'examples'), { recursive: true });
  await cp(join(ROOT, 'docs/guide'), join(folder, 'guide'), { recursive: true });
  const licenses = join(ROOT, 'node_modules/spdx-license-list/licenses');
  await cp(licenses, join(folder, 'licenses'), { recursive: true });
  const console = join(ROOT, 'console/dist');
  if (existsSync(console)) await cp(console, join(folder, 'console'), { recursive: true });
  await cp(join(ROOT, 'actors-library'), join(folder, 'actors-library'), {
    recursive: true,
    filter: isPublished,
  });
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), describeLicences(ROOT, bundle.inputs));
  return bundle;
}

/** The program alone, which finds its other files beside itself or in a clone. Replaces the folder. */
export async function bundleProgram(folder: string, root: string): Promise<Bundle> {
  await rm(folder, { recursive: true, force: true });
  const { build } = requireTool('esbuild') as typeof esbuild;
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: resolve(folder),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    // Names stay as they are, for stack traces.
    minifyWhitespace: true,
    lineLimit: 160,
    external: ABSENT,
    plugins: [lazyRequires],
    // CommonJS packages call `require` for Node's own modules, which ES modules lack.
    banner: {
      js: `import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);`,
    },
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs);
  for (const path of Object.keys(metafile.outputs)) await escapeCharacters(resolve(root, path));
  return {
    bin: join(folder, 'bin.js'),
    bytes: outputs.reduce((sum, { bytes }) => sum + bytes, 0),
    inputs: outputs.flatMap((output) => Object.keys(output.inputs)),
  };
}

/**
 * V8 keeps the text of every script, and twice as large where one character is no ASCII. Without comments such characters are in
 * regular expressions alone: esbuild escapes those of strings.
 */
async function escapeCharacters(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const escaped = text.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped !== text) await writeFile(path, escaped);
}

/** Of the Actors: no tests, and no packages that somebody has installed there. */
function isPublished(path: string): boolean {
  return !['test', 'node_modules'].includes(basename(path));
}

/** Rewrites `createRequire(…)(name)`, by which the sources load packages late, to a form that esbuild follows. */
const lazyRequires: esbuild.Plugin = {
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
