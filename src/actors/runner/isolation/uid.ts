// Isolation by user ids: as root and without bubblewrap, each program runs as a user that no other program of this machine has.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Launch } from '../launch.ts';
import { type MachineTools, limitWords } from './machine-tools.ts';
import {
  privateFolderWords,
  sharedFolders,
  type MountTools,
  canOthersConnect,
  canOthersRead,
  findBarrier,
  giveFolder,
  openWay,
} from './user-folders.ts';
import type { Program } from '../runner.ts';
import { identify, type ProcessIdentity } from '../process-table.ts';

/**
 * The environment comes by descriptor and is set after root is gone: by variables of the loader a user could otherwise run
 * code of their own as root.
 */
const WITH_ENVIRONMENT = 'umask 022; eval "$(cat <&4)"; exec 4<&-; exec "$@"';

/** Names that a shell cannot set. */
const UNSETTABLE = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO', '_']);

interface UidOptions {
  tools: MachineTools & { setpriv: string };
  pool: UidPool;
  work: string;
  maxProcesses: number;
  /** A folder for temporary files, which exists. */
  temporary: string;
  /** Absent where the program uses the machine's own temporary folders. */
  mounts: MountTools | undefined;
}

/** The words that make the command after them that of the user. */
export function userWords(setpriv: string, uid: number): string[] {
  const ids = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
  return [setpriv, ...ids, '--no-new-privs', '--inh-caps=-all', '--pdeathsig', 'KILL', '--'];
}

/** Why a user of its own could not run the program; opens the way to it as far as it goes through the work folder. */
export function findObstacle({ folder, readable, bridges = [] }: Program, work: string): string | undefined {
  const sockets = bridges.map(({ socket }) => socket);
  for (const path of [folder, ...readable, ...sockets]) openWay(work, path);
  const barrier = findBarrier(dirname(folder));
  if (barrier !== undefined) return explainBarrier(barrier);
  const unreadable = readable.find((path) => !canOthersRead(path));
  if (unreadable !== undefined) return `Other users cannot read ${unreadable}, so the program could not.`;
  const closed = sockets.find((path) => !canOthersConnect(path));
  return closed && `Other users cannot connect to ${closed}, so the program could not.`;
}

/** A new user who owns the folders. */
export async function takeUser(pool: UidPool, folders: readonly string[]): Promise<number> {
  const uid = pool.take();
  try {
    for (const folder of folders) await giveFolder(folder, uid);
    return uid;
  } catch (error) {
    pool.release(uid);
    throw error;
  }
}

export async function launchAsUser(program: Program, options: UidOptions): Promise<Launch> {
  const { tools, pool, work, maxProcesses, temporary, mounts } = options;
  const { command, env, folder, diskMbytes } = program;
  const obstacle = findObstacle(program, work);
  if (obstacle !== undefined) throw new Error(obstacle);
  openWay(work, temporary);
  const uid = await takeUser(pool, [temporary, folder]);
  return {
    words: [
      ...(mounts === undefined ? [] : privateFolderWords(mounts, temporary, program)),
      ...userWords(tools.setpriv, uid),
      ...limitWords(tools.prlimit, { processes: maxProcesses, diskMbytes }),
      '/bin/sh',
      '-c',
      WITH_ENVIRONMENT,
      'sh',
      ...command,
    ],
    input: exportLines({ TMPDIR: mounts === undefined ? temporary : '/tmp', ...env }),
    env: {},
    folder,
    traits: { uid },
    killUser: () => killUser(tools.setpriv, uid),
    temporary,
    ...(mounts === undefined && { sharedFolders: sharedFolders() }),
    release: () => pool.release(uid),
  };
}

/** One call of the kernel kills all processes of a user, so that none can start another meanwhile. */
async function killUser(setpriv: string, uid: number): Promise<void> {
  const [tool, ...words] = userWords(setpriv, uid) as [string, ...string[]];
  // It fails where there is nothing to kill.
  await promisify(execFile)(tool, [...words, '/bin/sh', '-c', 'kill -KILL -1'], { env: {} }).catch(() => {});
}

function exportLines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !UNSETTABLE.has(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`)
    .join('');
}

export function explainBarrier(folder: string): string {
  return `Actors run as users of their own on this server, and other users may not enter ${folder}: choose a folder that they can reach with --work, or install bubblewrap.`;
}

interface UidRange {
  first: number;
  count: number;
}

/** Ids that no distribution gives to users, services or containers; the second is for containers with few ids of their own. */
const RANGES: readonly UidRange[] = [
  { first: 1_900_000_000, count: 10_000 },
  { first: 60_578, count: 600 },
];

/** Emptied when the machine starts, and the same for all servers of the machine. */
const LOCK_FOLDERS = ['/run/signalbox-uids', '/tmp/signalbox-uids'];

/** The first range that this process can use, by the text of /proc/self/uid_map. */
export function chooseRange(uidMap: string): UidRange | undefined {
  const mapped = uidMap
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3);
  return RANGES.find(({ first, count }) =>
    mapped.some(([inside = 0, , size = 0]) => inside <= first && first + count <= inside + size),
  );
}

export class UidPool {
  readonly #range: UidRange;
  readonly #folder: string;
  #next = 0;

  constructor(range = chooseRange(readFileSync('/proc/self/uid_map', 'utf8')), folder?: string) {
    if (range === undefined) throw new Error('This process has no free user ids for programs.');
    this.#range = range;
    this.#folder = folder ?? createLockFolder();
  }

  /** A file that is created exclusively is the lock; it names its holder. */
  take(): number {
    const { first, count } = this.#range;
    for (let tries = 0; tries < count; tries++) {
      const uid = first + (this.#next++ % count);
      if (this.#lock(uid)) return uid;
    }
    throw new Error(`All ${count} user ids for programs are in use.`);
  }

  /** Only if it is the holder's: after a crash, only once nothing of that user runs any more. */
  release(uid: number, holder: ProcessIdentity = identify(process.pid)): void {
    const file = join(this.#folder, String(uid));
    try {
      if (readFileSync(file, 'utf8') === JSON.stringify(holder)) rmSync(file);
    } catch {
      // It is free already.
    }
  }

  #lock(uid: number): boolean {
    try {
      const file = openSync(join(this.#folder, String(uid)), 'wx', 0o600);
      writeSync(file, JSON.stringify(identify(process.pid)));
      closeSync(file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }
}

/** In a folder that others can write to, somebody else may have put a link or a folder of that name. */
function createLockFolder(): string {
  for (const folder of LOCK_FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = lstatSync(folder);
      if (stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0) return folder;
    } catch {
      // The next one may be there.
    }
  }
  throw new Error(`None of the folders ${LOCK_FOLDERS.join(', ')} can be used for locks.`);
}
