// What tests of git begin with: the installed program, and temporary folders.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGit, type InstalledGit } from './find-git.ts';

/** Undefined where tests must be skipped. */
export async function supportedGit(): Promise<InstalledGit | undefined> {
  const found = await findGit();
  return found?.isSupported === true ? found : undefined;
}

export function testFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'signalbox-git-'));
}
