// What `npm pack` runs before and after it: the package holds a bundle, so that it names no packages to install.
// `begin` makes the bundle and takes the dependencies out of package.json; `end` puts the file back.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleInto } from './bundle.ts';

const ROOT = dirname(import.meta.dirname);
const MANIFEST = join(ROOT, 'package.json');
/** Kept until the end, and found again after a pack that was interrupted. */
const KEPT = join(ROOT, '.runtime/package.json');

function restore(): void {
  const isWhole = readFileSync(MANIFEST, 'utf8').includes('"dependencies"');
  if (!isWhole && existsSync(KEPT)) copyFileSync(KEPT, MANIFEST);
  rmSync(KEPT, { force: true });
}

restore();
if (process.argv[2] === 'begin') {
  await bundleInto(join(ROOT, 'dist'));
  mkdirSync(dirname(KEPT), { recursive: true });
  copyFileSync(MANIFEST, KEPT);
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, unknown>;
  const { dependencies: _, devDependencies: _dev, ...published } = manifest;
  writeFileSync(MANIFEST, `${JSON.stringify(published, undefined, 2)}\n`);
}
