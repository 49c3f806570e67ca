// The in-memory services of the Signalbox API, created when the server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { BuiltConsole } from './console/built-console.ts';
import { ChangeStreams } from './stream/change-streams.ts';

declare module '../kernel/kernel.ts' {
  interface Services {
    console: BuiltConsole;
  }
}

export async function openSignalboxServices(kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>) {
  return { changeStreams: await new ChangeStreams(kernel).listen(), console: new BuiltConsole() };
}
