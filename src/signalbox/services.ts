// The in-memory services of the Signalbox API, created when the server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { ChangeStreams } from './stream/change-streams.ts';

export async function openSignalboxServices(kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>) {
  return { changeStreams: await new ChangeStreams(kernel).listen() };
}
