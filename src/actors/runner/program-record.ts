// Records of running programs on disk, by which the next server finds what a crashed one left running, and kills it.
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, type ProcessIdentity, isRunning } from './process-table.ts';
import { areGroupsEmpty, killGroups, removeGroups } from './cgroup.ts';
import { findProcesses, killProcesses } from './program-processes.ts';

interface ProgramRecord {
  id: string;
  /** The machine since its last start, and its view of processes: ids of other containers mean nothing here. */
  machine: string;
  server: ProcessIdentity;
  process: ProcessIdentity;
  /** What connects it to a network. */
  connection?: ProcessIdentity | undefined;
  uid?: number;
  variable?: string;
  /** The program's folders of control groups. */
  cgroups: readonly string[];
}

/** Records of machines that never come back, such as containers, are deleted when nothing can be left. */
const MAX_FOREIGN_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export function recordFolder(work: string): string {
  return join(work, 'programs');
}

function machineId(): string {
  const read = (find: () => string): string => {
    try {
      return find().trim();
    } catch {
      return '';
    }
  };
  return [
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    read(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
}

/** Returns a function that deletes it. */
export function writeProgramRecord(
  work: string,
  record: Omit<ProgramRecord, 'machine' | 'server'>,
): () => void {
  const folder = recordFolder(work);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${record.id}.${record.process.pid}.json`);
  const whole: ProgramRecord = { ...record, machine: machineId(), server: identify(process.pid) };
  writeFileSync(`${file}.tmp`, JSON.stringify(whole), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  return () => rmSync(file, { force: true });
}

/** The records of this machine, each with a function that deletes it. */
export function listProgramRecords(work: string, now: number): { record: ProgramRecord; remove(): void }[] {
  const folder = recordFolder(work);
  const machine = machineId();
  const found: { record: ProgramRecord; remove(): void }[] = [];
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const record = readRecord(file);
    const remove = (): void => rmSync(file, { force: true });
    if (record?.machine === machine) found.push({ record, remove });
    else if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > MAX_FOREIGN_AGE_MS) remove();
  }
  return found;
}

function readRecord(file: string): ProgramRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProgramRecord;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const PAUSE_MS = 10;

/** Returns whose processes it killed. Records of servers that are still running, such as another one on the same folder, are left alone. */
export async function killLeftovers(work: string, now: number): Promise<ProgramRecord[]> {
  const left = listProgramRecords(work, now).filter(({ record }) => !isRunning(record.server));
  await Promise.all(left.map(({ record }) => killRecorded(record)));
  for (const { remove } of left) remove();
  return left.map(({ record }) => record);
}

async function killRecorded(record: ProgramRecord): Promise<void> {
  const { process: root, connection, uid, variable, cgroups } = record;
  const traits = {
    roots: connection === undefined ? [root] : [root, connection],
    ...(uid !== undefined && { uid }),
    ...(variable !== undefined && { variable }),
  };
  for (;;) {
    killGroups(cgroups);
    const rest = await findProcesses(traits);
    killProcesses(rest);
    if (rest.length === 0 && areGroupsEmpty(cgroups)) break;
    await delay(PAUSE_MS);
  }
  await removeGroups(cgroups);
}
