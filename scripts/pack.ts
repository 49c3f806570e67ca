// Runs before and after `npm pack`: the package contains a bundle and has no dependencies.
// `begin` builds the bundle and removes the dependencies from package.json; `end` restores the file.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleInto } from './bundle.ts';
import { manPage } from '../src/cli/reference/man-page.ts';
import { buildConsole } from './console.ts';

const ROOT = dirname(import.meta.dirname);
const MANIFEST = join(ROOT, 'package.json');
/** The original, which is also restored after an interrupted pack. */
const KEPT = join(ROOT, '.runtime/package.json');

function restore(): void {
  const isWhole = readFileSync(MANIFEST, 'utf8').includes('"dependencies"');
  if (!isWhole && existsSync(KEPT)) copyFileSync(KEPT, MANIFEST);
  rmSync(KEPT, { force: true });
}

restore();
if (process.argv[2] === 'begin') {
  await buildConsole();
  await bundleInto(join(ROOT, 'dist'));
  writeFileSync(join(ROOT, 'dist/signalbox.1'), manPage());
  mkdirSync(dirname(KEPT), { recursive: true });
  copyFileSync(MANIFEST, KEPT);
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, unknown>;
  const { dependencies: _, devDependencies: _dev, ...published } = manifest;
  writeFileSync(MANIFEST, `${JSON.stringify(published, undefined, 2)}\n`);
}
