// Writes the lockfiles of the Actors in `actors-library`, with the versions of this repository's own lockfile; with `--check`
// it fails where one is not up to date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFilesFor } from '../test/clients/lockfile.ts';

const LIBRARY = join(import.meta.dirname, '../actors-library');

/** The text that the lockfile of an Actor should have. */
export function lockfileOf(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const {
    name,
    version,
    dependencies = {},
  } = JSON.parse(text) as {
    name: string;
    version: string;
    dependencies?: Record<string, string>;
  };
  const files = packageFilesFor(Object.keys(dependencies).sort(), {});
  const lock = JSON.parse(files['package-lock.json']) as { packages: Record<string, object> };
  const root = { name, version };
  const own = Object.keys(dependencies).length === 0 ? root : { ...root, dependencies };
  const packages = { ...lock.packages, '': own };
  return `${JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }, null, 2)}\n`;
}

if (import.meta.main) {
  for (const name of readdirSync(LIBRARY)) {
    const folder = join(LIBRARY, name);
    const file = join(folder, 'package-lock.json');
    const text = lockfileOf(folder);
    if (!process.argv.includes('--check')) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) {
      console.error(`${file} is not up to date: run node launch.mjs --script scripts/library-lockfiles.ts`);
      process.exitCode = 1;
    }
  }
}
