// Sends the log of a build or run: what is stored now, or live until it ends.
import { startExport } from '../../kernel/export/exporters.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, Stream, type Call, type Reply } from '../../kernel/route.ts';
import { Type, type Static } from '../../kernel/schema.ts';
import { userContentHeaders } from '../../kernel/user-content.ts';
import { isBuildOwner, openBuild } from '../builds/access.ts';
import { buildNotFound } from '../builds/model.ts';
import { checkRun } from '../runs/access.ts';
import { findRun } from '../runs/store.ts';
import { AnsiStripper } from './ansi.ts';
import { cutNotice } from './model.ts';
import { readLog } from './read-log.ts';
import type { LogChunk } from './store.ts';

export const LogQuery = Type.Object({
  stream: Type.Boolean({ default: false, description: 'To stay open until the build or run has finished' }),
  download: Type.Boolean({ default: false, description: 'To be saved as a file rather than shown' }),
  raw: Type.Boolean({ default: false, description: 'With ANSI escape sequences' }),
});

/** For the `access` of routes that serve logs. */
export const LOG_ACCESS = { action: 'viewRun', others: ['viewBuild'], ofOwner: true } as const;

export type LogCall = Pick<Call, 'can' | 'method'> & { caller: KnownCaller; query: Static<typeof LogQuery> };

/** Checks that the caller may read the log: only the owner of the build or run may, with the permission to view it. */
export async function serveLog(call: LogCall, kernel: Kernel, id: string): Promise<Reply | Stream> {
  await checkLogAccess(call, kernel, id);
  const { stream, download, raw } = call.query;
  const headers = userContentHeaders('text/plain; charset=utf-8', download ? `${id}.log` : undefined);
  if (call.method === 'HEAD') return reply(200, undefined, headers);
  const text = new LogText(raw);
  return stream
    ? new Stream(followLog(kernel, id, text), headers, 200, true)
    : new Stream(await startExport(storedText(kernel, id, text)), headers);
}

/** Builds of a public Actor are visible to all, but what they print is not: it may contain secrets of the owner. */
async function checkLogAccess(call: LogCall, kernel: Kernel, id: string): Promise<void> {
  const run = await findRun(kernel.db, id);
  if (run !== undefined) {
    checkRun(call, run, 'viewRun');
    return;
  }
  const build = await openBuild(kernel, call, id, 'viewBuild');
  if (!isBuildOwner(call.caller, build)) throw buildNotFound();
}

async function* storedText(kernel: Kernel, id: string, text: LogText): AsyncGenerator<Uint8Array> {
  for await (const piece of readLog(kernel, id)) yield* text.of(piece);
  yield text.end();
}

/** Not a generator: that would free its resources only with the next line, long after the client has gone. */
function followLog(kernel: Kernel, id: string, text: LogText): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const follower = kernel.services.logFeed.follow(kernel, id);
      let ready: Uint8Array[] = [];
      return {
        async next() {
          while (ready.length === 0) {
            const piece = await follower.next();
            if (piece === undefined) return { done: true, value: undefined };
            ready = [...text.of(piece)];
          }
          return { done: false, value: ready.shift()! };
        },
        async return() {
          follower.close();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** The pieces of a log as text: without escape sequences, unless they are wanted, and with a notice in each gap. */
class LogText {
  readonly #stripper: AnsiStripper | undefined;
  #position = 0;

  constructor(isRaw: boolean) {
    this.#stripper = isRaw ? undefined : new AnsiStripper();
  }

  *of({ at, content }: LogChunk): Generator<Uint8Array> {
    if (at > this.#position) yield Buffer.from(cutNotice(at - this.#position, content));
    this.#position = at + content.length;
    const text = this.#stripper === undefined ? content : this.#stripper.strip(content);
    if (text.length > 0) yield text;
  }

  end(): Uint8Array {
    return this.#stripper?.end() ?? new Uint8Array();
  }
}
