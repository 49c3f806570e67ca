// What is done to a running program from outside: its priority, and its end.
import { setPriority } from 'node:os';

/** Requests to the server come before git's work. Where the system refuses that, git runs as it is. */
export function setNiceness(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
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
