// Finds the bundle of the present sources of a clone, which starts twice as fast as they do; no dependencies. ADR 0189.
// @ts-check

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Sources as they are loaded; where one of these changes, the bundle is made anew. */
const OTHERS = ['package.json', 'package-lock.json', 'scripts/bundle.ts'];

/**
 * Names the state of the sources. A change of a file changes its times, even where they are set back.
 * @param {string} root
 */
export function stampOf(root) {
  const hash = createHash('sha256');
  for (const file of OTHERS) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    hash.update(`${path}\0${size} ${mtimeMs} ${ctimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * As deep below the root as the rooms of the sources are, because files beside them are found by relative paths.
 * @param {string} root
 */
export function bundlesFolder(root) {
  return join(root, '.runtime/bundles');
}

/**
 * Where there is none, the sources are run as they are.
 * @param {string} root
 * @returns {string | undefined} the program
 */
export function findBundle(root) {
  const folder = bundlesFolder(root);
  // A folder elsewhere that is linked here is not beside the files that the program looks for.
  if (!existsSync(folder) || realpathSync(folder) !== bundlesFolder(realpathSync(root))) return undefined;
  const program = join(folder, stampOf(root), 'bin.js');
  return existsSync(program) ? program : undefined;
}
