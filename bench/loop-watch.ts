// Loaded into a server before it starts (node --import): watches its event loop, and tells the parent process when asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What is asked for since the last question. */
export interface LoopReport {
  /** The longest time between two turns. On a machine that is busy otherwise much of it may be others' work. */
  longestMs: number;
  /** The most time that the main thread itself worked between two turns. */
  longestCpuMs: number;
}

const LOOK_MS = 2;
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let last = cpuMs();
let longestCpuMs = 0;
setInterval(() => {
  const now = cpuMs();
  longestCpuMs = Math.max(longestCpuMs, now - last);
  last = now;
}, LOOK_MS).unref();

process.on('message', () => {
  const report: LoopReport = { longestMs: delays.max / 1e6, longestCpuMs };
  delays.reset();
  longestCpuMs = 0;
  process.send?.(report);
});
process.channel?.unref();
