// A storage thread: owns connections to a SQLite file and answers the main thread. The same code runs twice,
// as writer and as reader, so that a read never waits for a disk sync. It may open another file after closing one.
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';
import type { ThreadMessage, NumberedRequest, ThreadCommand } from './sqlite-protocol.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteWriter } from './sqlite-writer.ts';

/** How often this process checks whether another one has written to the file. */
const POLL_MS = 250;

if (!parentPort) throw new Error('sqlite-thread.ts is made to run as a worker thread.');
const port = parentPort;
const say = (message: ThreadMessage): void => port.postMessage(message);

let worker: SqliteReader | SqliteWriter | undefined;
let poll: NodeJS.Timeout | undefined;
port.on('message', obey);

function obey(command: ThreadCommand): void {
  if (Array.isArray(command)) {
    worker!.accept(command);
  } else if (command === 'close') {
    clearInterval(poll);
    worker!.close();
    worker = undefined;
    say('closed');
  } else {
    worker = command.access === 'write' ? startWriter(command.file) : new SqliteReader(command.file, say);
    say('ready');
  }
}

function startWriter(file: string): SqliteWriter {
  const connection = new SqliteConnection(file, 'write');
  poll = watch(connection);
  return new SqliteWriter(connection, say, takeArrived, () => performance.now());
}

function takeArrived(): NumberedRequest[] | undefined {
  const command = receiveMessageOnPort(port)?.message as ThreadCommand | undefined;
  if (command === undefined || Array.isArray(command)) return command;
  setImmediate(obey, command);
  return undefined;
}

/** SQLite changes its data version when another process commits, and never for this connection's own commits. */
function watch(connection: SqliteConnection): NodeJS.Timeout {
  const version = (): unknown => connection.run('pragma data_version')[1][0];
  let last = version();
  return setInterval(() => {
    const now = version();
    if (now !== last) say('changed');
    last = now;
  }, POLL_MS).unref();
}
