// Isolation by user ids: as root and without bubblewrap, each program runs as a user that only it has.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Launch } from './launch.ts';
import type { MachineTools } from './machine-tools.ts';
import { privateFolderWords, sharedFolders, type MountTools } from './private-folders.ts';
import { canOthersConnect, canOthersRead, findBarrier, giveFolder, openWay } from './reachable-folders.ts';
import { limitWords } from './resource-limits.ts';
import type { Program } from './runner.ts';
import type { UidPool } from './uid-pool.ts';

/**
 * The environment comes by descriptor and is set after root is gone: by variables of the loader a user could otherwise run
 * code of their own as root.
 */
const WITH_ENVIRONMENT = 'umask 022; eval "$(cat <&4)"; exec 4<&-; exec "$@"';

/** Names that a shell cannot set. */
const UNSETTABLE = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO', '_']);

export interface UidOptions {
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
