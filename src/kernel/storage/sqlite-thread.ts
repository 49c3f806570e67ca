// A storage thread: owns connections to the SQLite file and answers the main thread. The same code runs twice,
// as the writer and as the reader, so that a read never waits for a disk sync.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Connection } from './sqlite-connection.ts';
import type { Message, Numbered, Order, ThreadSetup } from './sqlite-protocol.ts';
import { Reader } from './sqlite-reader.ts';
import { Writer } from './sqlite-writer.ts';

/** How soon this process notices that another one has written to the file. */
const POLL_MS = 250;

if (!parentPort) throw new Error('sqlite-thread.ts is made to run as a worker thread.');
const port = parentPort;
const say = (message: Message): void => port.postMessage(message);

const { file, access } = workerData as ThreadSetup;
let poll: NodeJS.Timeout | undefined;
const worker = access === 'write' ? startWriter() : new Reader(file, say);
port.on('message', obey);
say('ready');

function obey(order: Order): void {
  if (order !== 'close') {
    worker.accept(order);
    return;
  }
  clearInterval(poll);
  worker.close();
  port.close();
}

function startWriter(): Writer {
  const connection = new Connection(file, 'write');
  poll = watch(connection);
  return new Writer(connection, say, takeArrived);
}

function takeArrived(): Numbered[] | undefined {
  const order = receiveMessageOnPort(port)?.message as Order | undefined;
  if (order !== 'close') return order;
  setImmediate(obey, order);
  return undefined;
}

/** SQLite changes its data version when another process commits, and never for this connection's own commits. */
function watch(connection: Connection): NodeJS.Timeout {
  const version = (): unknown => connection.run('pragma data_version')[1][0]?.[0];
  let last = version();
  return setInterval(() => {
    const now = version();
    if (now !== last) say('changed');
    last = now;
  }, POLL_MS).unref();
}
