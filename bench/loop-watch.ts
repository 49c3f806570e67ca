// Loaded into a server before it starts (node --import): measures its event loop, and reports to the parent on request.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measured since the last report. */
export interface LoopReport {
  /** The longest time between two turns, which on a busy machine includes other processes. */
  longestMs: number;
  /** Of 100 times between two turns, 99 were shorter. */
  p99Ms: number;
  /** The longest CPU time of the main thread between two turns. */
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
  const report: LoopReport = {
    longestMs: delays.max / 1e6,
    p99Ms: delays.percentile(99) / 1e6,
    longestCpuMs,
  };
  delays.reset();
  longestCpuMs = 0;
  process.send?.(report);
});
process.channel?.unref();
