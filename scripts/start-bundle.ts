// Makes the bundle of a clone's sources for its next start: npm run start:bundle, and a server does so a minute after its own start.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleProgram } from './bundle.ts';
import { bundlesFolder, stampOf } from './start-bundle.mjs';

/** Servers that run may still load parts of theirs, so those of the last changes stay. */
const KEPT = 5;

export async function makeStartBundle(root: string): Promise<void> {
  const folder = bundlesFolder(root);
  mkdirSync(folder, { recursive: true });
  const stamp = stampOf(root);
  const isMade = () => existsSync(join(folder, stamp));
  if (isMade()) return;
  const aside = join(folder, `new-${process.pid}`);
  try {
    await bundleProgram(aside, root);
    // Of sources that changed meanwhile nobody knows which it has, and another may have made the same.
    if (stampOf(root) === stamp && !isMade()) renameSync(aside, join(folder, stamp));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  const bundles = readdirSync(folder).filter((name) => !name.startsWith('new-'));
  const changed = new Map(bundles.map((name) => [name, statSync(join(folder, name)).mtimeMs]));
  const old = bundles.sort((one, other) => changed.get(other)! - changed.get(one)!).slice(KEPT);
  for (const name of old) rmSync(join(folder, name), { recursive: true, force: true });
}

if (import.meta.main) await makeStartBundle(dirname(import.meta.dirname));
