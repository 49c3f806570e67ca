// Loaded into a server before it starts: kills the process when it passes a checkpoint for the n-th time, as a power cut at that
// very moment would.
import { subscribe } from 'node:diagnostics_channel';

const { DIE_AT } = process.env;
// Nothing that the process starts is to die as well.
delete process.env['DIE_AT'];
delete process.env['NODE_OPTIONS'];

if (DIE_AT !== undefined) {
  const { checkpoint, count } = JSON.parse(DIE_AT) as { checkpoint: string; count: number };
  let passed = 0;
  subscribe('signalbox.checkpoint', (name) => {
    if (name === checkpoint && (passed += 1) === count) process.kill(process.pid, 'SIGKILL');
  });
}
