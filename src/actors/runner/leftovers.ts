// Kills what a crashed server left running on this machine.
import { setTimeout as delay } from 'node:timers/promises';
import { areGroupsEmpty, killGroups, removeGroups } from './cgroup.ts';
import { isRunning } from './process-table.ts';
import { findProcesses, killProcesses } from './program-processes.ts';
import { listProgramRecords, type ProgramRecord } from './program-record.ts';

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
