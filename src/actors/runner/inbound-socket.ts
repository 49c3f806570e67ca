// A Unix socket by which the server reaches a port inside a sandbox without a network.
import { once } from 'node:events';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { createSocketServer } from '../../kernel/network/streams.ts';

export interface InboundSocket {
  /** For the program's descriptors. */
  fd: number;
  /** Once the program has its copy. */
  release(): void;
}

/**
 * The program gets the listening socket itself and never sees the file: a program that could replace the file by a link would
 * make the server connect to any socket of this machine.
 */
export async function openInboundSocket(path: string): Promise<InboundSocket> {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const listener = createSocketServer((socket) => socket.destroy());
  listener.listen(temporary);
  await once(listener, 'listening');
  chmodSync(temporary, 0o600);
  // Closing the listener here deletes the file of the name that it was given.
  renameSync(temporary, path);
  // Node has no public name for it, and takes only its number for the descriptors of a child.
  const { fd } = (listener as Server & { _handle: { fd: number } })._handle;
  return { fd, release: () => void listener.close() };
}
