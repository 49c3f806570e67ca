// Connects a request with a process of git: its body with the input, the output with the reply, each as fast as the other
// end takes it.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { GitProcess } from '../git/git-process.ts';
import { ClientWatch } from './client-watch.ts';

export interface PackExchange {
  body: Readable;
  response: ServerResponse;
  process: GitProcess;
  headers: Record<string, string>;
  /** More bytes of the body are not given to git, which then reports that its input ends early. */
  maxBody: number;
  /** How long the client may neither send nor read. */
  stallMs: number;
  /** Called when the client has stopped, sends far too much, or breaks the body off. */
  cut(): void;
}

/** A client that has sent too much is read on until this, so that it hears why: most read no reply before they have sent all. */
const DISCARDED_BYTES = 64 * 1024 * 1024;

/** Resolves when git has written everything and the client has sent everything. The reply is left open. */
export async function exchangePack(exchange: PackExchange): Promise<void> {
  const watch = new ClientWatch(exchange.stallMs, exchange.cut);
  try {
    await Promise.all([sendBody(exchange, watch).catch(() => exchange.cut()), sendReply(exchange, watch)]);
  } finally {
    watch.stop();
  }
}

async function sendBody({ body, process, maxBody, cut }: PackExchange, watch: ClientWatch): Promise<void> {
  const { stdin } = process;
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let size = 0;
  for (;;) {
    const next = await watch.wait(chunks.next());
    if (next.done === true) break;
    watch.moved(next.value.length);
    size += next.value.length;
    if (size > maxBody + DISCARDED_BYTES) return cut();
    if (stdin.destroyed || stdin.writableEnded) continue;
    if (size > maxBody) stdin.end();
    else if (!stdin.write(next.value)) await drainOrClose(stdin);
  }
  stdin.end();
}

async function sendReply({ response, process, headers }: PackExchange, watch: ClientWatch): Promise<void> {
  for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
    if (response.destroyed) continue;
    if (!response.headersSent) response.writeHead(200, headers);
    watch.moved(chunk.length);
    if (!response.write(chunk)) await watch.wait(drainOrClose(response));
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
