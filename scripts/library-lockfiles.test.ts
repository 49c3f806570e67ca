// The lockfiles of the Actors that come with the server: their packages are packages of this repository, in the same versions.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockfileOf } from './library-lockfiles.ts';

const LIBRARY = join(import.meta.dirname, '../actors-library');

for (const name of readdirSync(LIBRARY)) {
  test(`that of ${name} is up to date, and names no registry and no script`, () => {
    const folder = join(LIBRARY, name);
    const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
    // Run `node launch.mjs --script scripts/library-lockfiles.ts` when this fails.
    assert.equal(text, lockfileOf(folder));
    assert.doesNotMatch(text, /"resolved"|"hasInstallScript"/);
    const { packages } = JSON.parse(text) as { packages: Record<string, { integrity?: string }> };
    for (const [path, { integrity }] of Object.entries(packages))
      if (path !== '') assert.match(integrity ?? '', /^sha512-/, path);
  });
}
