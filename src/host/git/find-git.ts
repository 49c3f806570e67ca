// Finds the git program and its version.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from './git-environment.ts';

/** The first version with `merge-tree --write-tree`, which computes a merge without a working folder. */
const OLDEST_SUPPORTED = [2, 38] as const;
const TIMEOUT_MS = 10_000;

export interface InstalledGit {
  path: string;
  version: string;
  /** False for a version older than 2.38. */
  isSupported: boolean;
}

/** Undefined where no git program is on the path, or where it does not run. */
export async function findGit(searchPath = process.env.PATH ?? ''): Promise<InstalledGit | undefined> {
  for (const folder of searchPath.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, 'git');
    const version = await readVersion(path);
    if (version !== undefined) return { path, version, isSupported: isSupported(version) };
  }
  return undefined;
}

async function readVersion(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ['version'], {
      env: gitEnvironment(),
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return /^git version (\d+(?:\.\d+)+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_SUPPORTED;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
