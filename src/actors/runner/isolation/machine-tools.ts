// The programs of this machine that isolation and limits are made with: finds them, tries them, and says why one does not work.
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';

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

/** All probes of a start share them, so that a machine on which nothing works does not start slowly. */
const PROBE_PAUSES_MS = [50, 150, 400];
const PROBE_LIMIT_MS = 20_000;
/** What a kernel or a program says that does not allow or know it, or what was tried again already: it will say the same the next time. */
const LASTING_FAILURE =
  /not permitted|permission|unknown option|unrecognized option|not supported|no such file|^slirp4netns does not work/i;

/** Rejects with the last line that it wrote to its error output, as the reason. */
export async function runProbe(words: readonly string[]): Promise<void> {
  const [tool = '', ...rest] = words;
  const options = { env: {}, cwd: '/', timeout: PROBE_LIMIT_MS, killSignal: 'SIGKILL' } as const;
  await promisify(execFile)(tool, rest, options).catch(
    (error: Error & { stderr?: string; signal?: string; code?: unknown }) => {
      const said = error.stderr?.trim().split('\n').at(-1);
      if (said) throw new Error(said);
      if (error.signal) throw new Error(`it was ended by ${error.signal}`);
      // The message would be the whole command line.
      throw typeof error.code === 'number' ? new Error(`it ended with exit code ${error.code}`) : error;
    },
  );
}

export type ProbeAttempt = (probe: () => Promise<void>) => Promise<string | undefined>;

/**
 * Returns a function that runs a probe and says why it failed, or undefined where it works. In a crowded moment, without
 * processes or memory to spare, a failure means nothing, so it is tried again.
 */
export function openAttempts(wait: (ms: number) => Promise<unknown> = delay): ProbeAttempt {
  const pauses = [...PROBE_PAUSES_MS];
  return async (probe) => {
    for (;;) {
      try {
        await probe();
        return undefined;
      } catch (error) {
        const reason = (error as Error).message;
        const pause = LASTING_FAILURE.test(reason) ? undefined : pauses.shift();
        if (pause === undefined) return reason;
        await wait(pause);
      }
    }
  };
}

export interface ResourceLimits {
  /** Absent where the processes of others would count too. */
  processes?: number;
  diskMbytes: number;
}

const MAX_OPEN_FILES = 65_536;

/** The words to put before the command; none where the tool is absent. */
export function limitWords(prlimit: string | undefined, { processes, diskMbytes }: ResourceLimits): string[] {
  if (prlimit === undefined) return [];
  const fileBytes = diskMbytes * 1024 ** 2;
  return [
    prlimit,
    '--core=0:0',
    ...bounded('--nofile', MAX_OPEN_FILES, readHardLimit('Max open files')),
    // One file that grows faster than the folder is measured stops here.
    ...bounded('--fsize', fileBytes, readHardLimit('Max file size')),
    ...(processes === undefined ? [] : bounded('--nproc', processes, readHardLimit('Max processes'))),
    '--',
  ];
}

/** A hard limit cannot be raised. */
function bounded(option: string, wanted: number, hard: number): string[] {
  const limit = Math.min(wanted, hard);
  return [`${option}=${limit}:${limit}`];
}
