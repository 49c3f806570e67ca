// The programs of this machine that isolation and limits are made with.
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export interface MachineTools {
  bwrap?: string;
  setpriv?: string;
  prlimit?: string;
  bash?: string;
  unshare?: string;
  slirp4netns?: string;
}

/** The usual folders come last: services are often started with a short PATH, or none. */
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Small systems have a `setpriv` that cannot change users. */
export async function findWorkingTools(): Promise<MachineTools> {
  const { setpriv, ...others } = findTools();
  if (setpriv === undefined) return others;
  const help = await promisify(execFile)(setpriv, ['--help']).catch(() => ({ stdout: '' }));
  return ['--reuid', '--pdeathsig'].every((option) => help.stdout.includes(option))
    ? { ...others, setpriv }
    : others;
}

function findTools(path = process.env['PATH'] ?? ''): MachineTools {
  const folders = [...path.split(delimiter).filter((folder) => folder.startsWith('/')), ...USUAL_FOLDERS];
  const find = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((file) => isProgram(file));
  const found = {
    bwrap: find('bwrap'),
    setpriv: find('setpriv'),
    prlimit: find('prlimit'),
    bash: find('bash'),
    unshare: find('unshare'),
    slirp4netns: find('slirp4netns'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, file]) => file !== undefined));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Since Linux 5.14 the processes of a user are counted in each user namespace by itself. Those of root are never limited. */
export function countsProcessesPerNamespace(uid = process.getuid?.() ?? 0, version = release()): boolean {
  if (uid === 0) return false;
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part));
  return major > 5 || (major === 5 && minor >= 14);
}

/** The hard limit of this process, by its name in /proc/self/limits. */
export function readHardLimit(name: string, limits = readLimits()): number {
  const line = limits.split('\n').find((one) => one.startsWith(name));
  const hard = line?.slice(name.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
