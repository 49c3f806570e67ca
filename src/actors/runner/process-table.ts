// Reads the processes of this machine from /proc, or by `ps` where there is none.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A process id alone may belong to another process by now; with the start time it does not. */
export interface ProcessIdentity {
  pid: number;
  /** In ticks since the machine started; 0 where the system does not say. */
  startTime: number;
}

export interface ProcessInfo extends ProcessIdentity {
  parent: number;
  group: number;
  session: number;
  isZombie: boolean;
  /** Of itself and of its dead children. */
  cpuMs: number;
  /** Only where `ps` says it. */
  residentBytes?: number;
  /** Read when somebody asks, and remembered for the next who asks about the same list. */
  uid?: number | undefined;
  programVariable?: string | undefined;
}

/** By this variable, with its id as value, the processes of a program without a sandbox are found wherever they went. */
export const PROGRAM_VARIABLE = 'RUNNER_PROGRAM_ID';

const HAS_PROC = existsSync('/proc/self/stat');
/** USER_HZ, which is 100 on every platform that Node runs on. */
const TICK_MS = 10;
/** How many processes are read between two turns of the event loop. */
const BATCH_SIZE = 100;

/** The text of /proc/PID/stat. The name in brackets may contain anything, so the fields are counted from its end. */
export function parseStat(text: string): ProcessInfo {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    pid: Number.parseInt(text),
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    parent: number(4),
    group: number(5),
    session: number(6),
    cpuMs: (number(14) + number(15) + number(16) + number(17)) * TICK_MS,
    startTime: number(22),
  };
}

export function readProcess(pid: number): ProcessInfo | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Zombies are dead: they wait for a parent that may never look. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  if (!HAS_PROC) return sendSignal(pid, 0);
  const found = readProcess(pid);
  return found !== undefined && found.startTime === startTime && !found.isZombie;
}

export function identify(pid: number): ProcessIdentity {
  return { pid, startTime: readProcess(pid)?.startTime ?? 0 };
}

/** Whether there was such a process, or group for a negative number. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export async function listProcesses(): Promise<ProcessInfo[]> {
  if (!HAS_PROC) return listByPs();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found: ProcessInfo[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
    const info = readProcess(Number(pid));
    if (info !== undefined && !info.isZombie) found.push(info);
  }
  return found;
}

async function listByPs(): Promise<ProcessInfo[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss=,time=']);
  return parsePs(stdout);
}

/** Lines of `pid ppid pgid rss time`, with the time as [hours:]minutes:seconds. */
export function parsePs(text: string): ProcessInfo[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length === 5)
    .map(([pid, parent, group, rss, time = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      startTime: 0,
      isZombie: false,
      residentBytes: Number(rss) * 1024,
      cpuMs: time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000,
    }));
}

/** The user of a process; undefined once it is gone. */
export function userOf(pid: number): number | undefined {
  const uid = /^Uid:\s*(\d+)/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return uid === undefined ? undefined : Number(uid);
}

export function hasUser(one: ProcessInfo, uid: number): boolean {
  if (!('uid' in one)) one.uid = userOf(one.pid);
  return one.uid === uid;
}

/** Whether the process was started with this variable, as `NAME=value`, or inherited it. */
export function hasProgramVariable(one: ProcessInfo, variable: string): boolean {
  if (!('programVariable' in one)) {
    const variables = readOrEmpty(`/proc/${one.pid}/environ`).split('\0');
    one.programVariable = variables.find((text) => text.startsWith(`${PROGRAM_VARIABLE}=`));
  }
  return one.programVariable === variable;
}

/** Memory that belongs to the process: the pages of programs and libraries are shared by all who run them. */
export function memoryOf({ pid, residentBytes }: ProcessInfo): number {
  if (residentBytes !== undefined) return residentBytes;
  const status = readOrEmpty(`/proc/${pid}/status`);
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB/gm)].reduce(
    (sum, [, kilobytes]) => sum + Number(kilobytes) * 1024,
    0,
  );
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
