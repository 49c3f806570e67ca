// Connects a request with a process of git: its body with the input, the output with the reply, each as fast as the other
// end takes it.
import { once } from 'node:events';
import type { ServerResponse, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createGunzip } from '../../kernel/network/streams.ts';
import type { GitProcess, GitExit } from '../git/process/git-process.ts';
import { errorInBand, PacketReader } from './git-packets.ts';
import type { RunningTransfer } from './git-transfers.ts';

interface PackExchange {
  body: Readable;
  response: ServerResponse;
  process: GitProcess;
  headers: Record<string, string>;
  isPush: boolean;
  /** More bytes of the body are not given to git, which then reports that its input ends early. */
  maxBody: number;
  transfer: RunningTransfer;
  /** Ends git. Called when the transfer is cut, or the client sends far too much or breaks the body off. */
  stop(): void;
}

/** A client that has sent too much is read on until this, so that it hears why: most read no reply before they have sent all. */
const DISCARDED_BYTES = 64 * 1024 * 1024;

/** The time in which a client that is cut can read why. */
const CUT_MS = 30_000;

/** Resolves when git has written everything and the client has sent everything. The reply is left open. */
export async function exchangePack(exchange: PackExchange): Promise<void> {
  const { response, stop, transfer } = exchange;
  const packets = new PacketReader();
  const leave = () => {
    stop();
    response.destroy();
  };
  const cut = () => {
    stop();
    endCut(exchange, packets);
  };
  // It may be cut while git was started.
  if (transfer.cut.aborted) cut();
  else transfer.cut.addEventListener('abort', cut, { once: true });
  try {
    await Promise.all([
      sendBody(exchange, leave).catch(() => breakOff(exchange, leave)),
      sendReply(exchange, packets),
    ]);
  } finally {
    transfer.cut.removeEventListener('abort', cut);
  }
}

/** Without the rest of its input git ends, and the client hears why; once a reply has begun, only its end can say it. */
function breakOff({ response, process }: PackExchange, leave: () => void): void {
  if (response.headersSent || response.destroyed) leave();
  else process.end();
}

async function sendBody(
  { body, process, maxBody, transfer }: PackExchange,
  leave: () => void,
): Promise<void> {
  const { stdin } = process;
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let size = 0;
  for (;;) {
    const next = await transfer.wait(untilCut(transfer, chunks.next()));
    if (next === undefined) return void discard(chunks).catch(() => {});
    if (next.done === true) break;
    transfer.moved(next.value.length);
    size += next.value.length;
    if (size > maxBody + DISCARDED_BYTES) return leave();
    if (stdin.destroyed || stdin.writableEnded) continue;
    if (size > maxBody) stdin.end();
    else if (!stdin.write(next.value)) await drainOrClose(stdin);
  }
  stdin.end();
}

async function sendReply(
  { response, process, headers, transfer }: PackExchange,
  packets: PacketReader,
): Promise<void> {
  for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
    if (response.destroyed || transfer.cut.aborted) continue;
    if (!response.headersSent) response.writeHead(200, headers);
    transfer.moved(chunk.length);
    packets.read(chunk);
    if (!response.write(chunk)) await transfer.wait(untilCut(transfer, drainOrClose(response)));
  }
}

/** Most clients read no reply before they have sent all. */
async function discard(chunks: AsyncIterator<Buffer>): Promise<void> {
  while ((await chunks.next()).done !== true);
}

/** Ends the reply with the reason, where the client can understand it. Its slot does not wait for that. */
function endCut({ response, headers, isPush, transfer }: PackExchange, packets: PacketReader): void {
  const { message } = transfer.cut.reason as Error;
  // The result of a push has bands from its beginning.
  const end = response.headersSent || !isPush ? packets.end(message) : errorInBand(message);
  if (response.destroyed || end === undefined) return void response.destroy();
  if (!response.headersSent) response.writeHead(200, { ...headers, connection: 'close' });
  const { socket } = response;
  response.end(end, () => socket?.end());
  const late = setTimeout(() => response.destroy(), CUT_MS);
  response.once('close', () => clearTimeout(late));
}

/** Resolves with nothing when the transfer is cut. */
async function untilCut<T>({ cut }: RunningTransfer, client: Promise<T>): Promise<T | undefined> {
  if (cut.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onCut = () => resolve(undefined);
  cut.addEventListener('abort', onCut, { once: true });
  try {
    return await Promise.race([client, promise]);
  } finally {
    cut.removeEventListener('abort', onCut);
  }
}

/** Resolves, too, when the other end is gone. */
async function drainOrClose(stream: NodeJS.EventEmitter & { destroyed: boolean }): Promise<void> {
  if (stream.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } catch {
    // An error of the stream is the end of it.
  } finally {
    done.abort();
  }
}

/**
 * What git reports to the client is in its output; what it prints as errors is for the log.
 * @throws {Failure} where git failed without a word to the client, or got only a part of the body.
 */
export function finishReply(
  { log }: Kernel,
  call: RawRouteCall,
  { body, response }: { body: Readable; response: ServerResponse },
  { exitCode, signal, stderr }: GitExit,
  headers: Record<string, string>,
): void {
  if (exitCode !== 0)
    log.info({ call: call.id, exitCode, signal, stderr: stderr.trim() }, 'git ended with an error');
  if (response.destroyed || response.writableEnded) return;
  if (!response.headersSent) {
    if (body.errored) throw new Failure('malformed', 'The body of the request is not valid gzip.');
    if (exitCode !== 0) throw new Failure('malformed', 'Git could not read the request.');
    response.writeHead(200, headers);
  }
  response.end();
}

/** @throws {Failure} for another encoding than gzip, and for a body that is none of this service. */
export function openBody(request: IncomingMessage, contentType: string): Readable {
  if (request.headers['content-type'] !== contentType)
    throw new Failure('not-acceptable', `The content type must be ${contentType}.`);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Failure('unsupported-encoding', 'The body of a request of git may be encoded with gzip only.');
  const inflated = createGunzip();
  request.on('error', (error) => inflated.destroy(error));
  request.on('aborted', () => inflated.destroy(new Error('The client went away.')));
  return request.pipe(inflated);
}
