// Points that background work passes between two of its steps. Tests of crashes end the process there, see `test/crash/die-at.ts`.
import { channel } from 'node:diagnostics_channel';

const passed = channel('signalbox.checkpoint');

/**
 * Does nothing unless code in this process listens, and no code of the server does: neither a setting nor a caller can make it
 * do anything.
 */
export function passCheckpoint(name: string): void {
  if (passed.hasSubscribers) passed.publish(name);
}
