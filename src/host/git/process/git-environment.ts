// The git program of this machine and its version, and the environment and configuration that every process of it runs with.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

/** Nothing of the server's own environment but PATH, so that neither its secrets nor its user's settings reach git. */
export function gitEnvironment(): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  return {
    PATH,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
    GIT_ADVICE: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // An empty list allows no protocol at all, neither `file` nor `ext`, whatever the configuration says.
    GIT_ALLOW_PROTOCOL: '',
    GIT_PROTOCOL_FROM_USER: '0',
    // A path from outside is never read as a pattern or as pathspec magic such as `:(top)`.
    GIT_LITERAL_PATHSPECS: '1',
  };
}

/** Overrides the configuration of the repository: a changed file must not make git run programs. */
const CONFIG = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.sshCommand': 'false',
  'core.askPass': 'false',
  'core.gitProxy': 'false',
  // Refs of the repository that a fork borrows objects from are not announced to those who push to the fork.
  'core.alternateRefsCommand': 'true',
  'core.fsync': 'all',
  'core.fsyncMethod': 'fsync',
  'core.quotePath': 'false',
  // Larger files are read and written in pieces, and are not compared. Deltas are made of smaller ones only.
  'core.bigFileThreshold': '16m',
  'core.deltaBaseCacheLimit': '64m',
  // Another process that changes the same reference is soon done.
  'core.filesRefLockTimeout': '1000',
  'core.logAllRefUpdates': 'false',
  'gc.auto': '0',
  'gc.autoDetach': 'false',
  'receive.autogc': 'false',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'protocol.file.allow': 'never',
  'protocol.ext.allow': 'never',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'log.showSignature': 'false',
  'gpg.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.x509.program': 'false',
  // A file of the repository could otherwise rename the authors of its commits.
  'mailmap.blob': '',
  'credential.helper': '',
  // The folder may belong to another user than the server's, for example on a volume of a container.
  'safe.directory': '*',
};

/** What stands before every command. */
export const GIT_OPTIONS: readonly string[] = [
  '--no-pager',
  ...Object.entries(CONFIG).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
];

/** The first version with `merge-tree --write-tree`, which computes a merge without a working folder. */
const OLDEST_SUPPORTED = [2, 38] as const;

const VERSION_TIMEOUT_MS = 10_000;

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
      timeout: VERSION_TIMEOUT_MS,
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
