// The real `apify-cli`: as npm installs it, and bundled for test runs, because it loads two thousand files at every start.
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** As npm installs it. */
export const INSTALLED_APIFY = realpathSync(join(ROOT, 'node_modules/.bin/apify'));

/** The test run may have bundled it: the same code, which starts in a third of the CPU time. */
export const APIFY = process.env['SIGNALBOX_TEST_APIFY'] ?? INSTALLED_APIFY;

/** The folder for `PATH` in which it is called `apify`. */
export const APIFY_FOLDER =
  process.env['SIGNALBOX_TEST_APIFY'] === undefined ? join(ROOT, 'node_modules/.bin') : dirname(APIFY);

/** Returns the file to run. */
export async function bundleApify(parent: string): Promise<string> {
  // Node prints no warnings about old functions that packages call.
  const folder = join(parent, 'node_modules/apify-cli');
  const { build } = await import('esbuild');
  await build({
    entryPoints: { apify: INSTALLED_APIFY },
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    // A native module, and one that it seldom needs.
    external: ['@napi-rs/keyring', 'prettier'],
    banner: {
      js: `import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);`,
    },
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'apify');
  symlinkSync('apify.js', program);
  return program;
}
