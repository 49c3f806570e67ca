// A storage thread: owns connections to the SQLite file and answers the main thread. The same code runs twice,
// as writer and as reader, so that a read never waits for a disk sync.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';
import type { ThreadMessage, NumberedRequest, ThreadCommand, ThreadSetup } from './sqlite-protocol.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteWriter } from './sqlite-writer.ts';

/** How often this process checks whether another one has written to the file. */
const POLL_MS = 250;

if (!parentPort) throw new Error('sqlite-thread.ts is made to run as a worker thread.');
const port = parentPort;
const say = (message: ThreadMessage): void => port.postMessage(message);

const { file, access } = workerData as ThreadSetup;
let poll: NodeJS.Timeout | undefined;
const worker = access === 'write' ? startWriter() : new SqliteReader(file, say);
port.on('message', obey);
say('ready');

function obey(order: ThreadCommand): void {
  if (order !== 'close') {
    worker.accept(order);
    return;
  }
  clearInterval(poll);
  worker.close();
  port.close();
}

function startWriter(): SqliteWriter {
  const connection = new SqliteConnection(file, 'write');
  poll = watch(connection);
  return new SqliteWriter(connection, say, takeArrived);
}

function takeArrived(): NumberedRequest[] | undefined {
  const order = receiveMessageOnPort(port)?.message as ThreadCommand | undefined;
  if (order !== 'close') return order;
  setImmediate(obey, order);
  return undefined;
}

/** SQLite changes its data version when another process commits, and never for this connection's own commits. */
function watch(connection: SqliteConnection): NodeJS.Timeout {
  const version = (): unknown => connection.run('pragma data_version')[1][0]?.[0];
  let last = version();
  return setInterval(() => {
    const now = version();
    if (now !== last) say('changed');
    last = now;
  }, POLL_MS).unref();
}
