// What is done to a running program from outside: its priority, and its end.
import { getPriority, setPriority } from 'node:os';

/** Requests to the server, which may have a niceness itself, come before git's work. Where the system refuses that, git runs as it is. */
export function setNiceness(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + niceness, 19));
  } catch {}
}

/** Helpers that a program has started may live on for a moment after it: they are in its process group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}
