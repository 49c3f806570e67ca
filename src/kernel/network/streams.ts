// The one way to open streams, sockets, processes and threads: each has a listener for its errors from the first moment on. ADR 0067.
// Node ends the process at an `error` event without one, and between the opening and the first use anything may happen: the
// client goes away, a body proves to be no gzip. Who reads or awaits the stream gets the error as before.
import { spawn as spawnProcess, type ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import { Readable } from 'node:stream';
import { Worker as NodeWorker, type WorkerOptions } from 'node:worker_threads';
import * as zlib from 'node:zlib';

const ignore = (): void => {};

/** For what others have opened, such as the socket of an upgrade. */
export function withErrorListener<T extends EventEmitter>(emitter: T): T {
  return emitter.on('error', ignore);
}

function opener<A extends unknown[], T extends EventEmitter>(open: (...args: A) => T): (...args: A) => T {
  return (...args) => withErrorListener(open(...args));
}

/**
 * A handler of an event: what it throws fails the call or the job that it belongs to, which logs it, and not the process. All
 * handlers of events that come from another program go through it.
 */
export function guarded<A extends unknown[]>(
  handle: (...args: A) => void,
  fail: (error: Error, ...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      handle(...args);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)), ...args);
    }
  };
}

export const createGzip = opener(zlib.createGzip);
export const createGunzip = opener(zlib.createGunzip);
export const createInflate = opener(zlib.createInflate);
export const createInflateRaw = opener(zlib.createInflateRaw);
export const createDeflate = opener(zlib.createDeflate);
export const createDeflateRaw = opener(zlib.createDeflateRaw);
export const createBrotliDecompress = opener(zlib.createBrotliDecompress);

export const createReadStream: typeof fs.createReadStream = opener(fs.createReadStream);
export const createWriteStream: typeof fs.createWriteStream = opener(fs.createWriteStream);

/** A stream of bytes from an iterable. */
export function readableFrom(
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Readable {
  return withErrorListener(Readable.from(content, { objectMode: false }));
}

export function connect(options: net.NetConnectOpts): net.Socket {
  return withErrorListener(net.connect(options));
}

/** A server whose connections have a listener, too. A handler that throws loses its own connection. */
export function createSocketServer(
  onConnection: (socket: net.Socket) => void = ignore,
  options: net.ServerOpts = {},
): net.Server {
  const server = net.createServer(options, (socket) => {
    withErrorListener(socket);
    guarded(onConnection, () => socket.destroy())(socket);
  });
  return withErrorListener(server);
}

/** A child process: neither it nor one of its pipes is without a listener. */
export const spawn = ((...args: Parameters<typeof spawnProcess>): ChildProcess => {
  const child = withErrorListener(spawnProcess(...args));
  for (const pipe of child.stdio) if (pipe) withErrorListener(pipe);
  return child;
}) as typeof spawnProcess;

export class WorkerThread extends NodeWorker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file, options);
    this.on('error', ignore);
  }
}
