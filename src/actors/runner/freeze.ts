// Stops all processes of a program for a while: by its control group, or else by signals.
import { setTimeout as delay } from 'node:timers/promises';
import type { Cgroup } from './cgroup.ts';
import { isRunning, sendSignal, type ProcessInfo } from './process-table.ts';

/** A process may start others until it is stopped itself. */
const ROUNDS = 20;
const PAUSE_MS = 5;

type FindProcesses = () => Promise<ProcessInfo[]>;

export async function freezeProcesses(cgroup: Cgroup | undefined, find: FindProcesses): Promise<void> {
  if (cgroup?.setFrozen(true) === true) return;
  const stopped = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = (await find()).filter((one) => !stopped.has(one.pid) && isRunning(one));
    if (fresh.length === 0) return;
    for (const { pid } of fresh) {
      sendSignal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
    await delay(PAUSE_MS);
  }
}

export async function thawProcesses(cgroup: Cgroup | undefined, find: FindProcesses): Promise<void> {
  if (cgroup?.setFrozen(false) === true) return;
  for (const one of await find()) if (isRunning(one)) sendSignal(one.pid, 'SIGCONT');
}
