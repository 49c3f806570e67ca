// Sends the log of a build or run, as it is stored now or live until it ends; and its route by the id of the build or run.
import { route, type Route, reply, Stream, type Call, type Reply } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { Failure } from '../../kernel/failure.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { budgetIdOf } from '../../kernel/limits/limits.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { startExport } from '../export/exporters.ts';
import { checkLogAccess, LOG_ACCESS, maskOf } from './access.ts';
import { AnsiStripper, type LogMask } from './log-filters.ts';
import { cutNotice } from './model.ts';
import { readLog } from './stored-log.ts';
import type { LogChunk } from './store.ts';

export const LogQuery = Type.Object({
  stream: Type.Boolean({ default: false, description: 'To stay open until the build or run has finished' }),
  download: Type.Boolean({ default: false, description: 'To be saved as a file rather than shown' }),
  raw: Type.Boolean({ default: false, description: 'With ANSI escape sequences' }),
});

/** For the descriptions of routes that serve logs of builds. */
export const PUBLIC_LOGS =
  'The log of a build of a public Actor can be read by all who can see the build; for others than the owner, the values of ' +
  'environment variables are replaced by `***`.';

type LogCall = Pick<Call, 'can' | 'method'> & { caller: KnownCaller; query: Static<typeof LogQuery> };

/**
 * Checks that the caller may read the log: the owner of the build or run, with the permission to view it. The log of a build of a
 * public Actor is there for all who may see the build, without what is the owner's alone.
 */
export async function serveLog(call: LogCall, kernel: Kernel, id: string): Promise<Reply | Stream> {
  const othersBuild = await checkLogAccess(call, kernel, id);
  const { stream, download, raw } = call.query;
  const headers = userContentHeaders('text/plain; charset=utf-8', download ? `${id}.log` : undefined);
  if (call.method === 'HEAD') return reply(200, undefined, headers);
  const text = new LogText(raw, othersBuild && (await maskOf(kernel, othersBuild)));
  if (stream) kernel.services.logFeed.checkRoom(budgetIdOf(call.caller));
  return stream
    ? new Stream(followLog(kernel, id, text, call), headers, 200, true)
    : new Stream(await startExport(storedText(kernel, id, text)), headers);
}

async function* storedText(kernel: Kernel, id: string, text: LogText): AsyncGenerator<Uint8Array> {
  for await (const piece of readLog(kernel, id)) yield* text.of(piece);
  yield text.end();
}

/** How often a stream checks that its reader may still read the log: tokens expire, and members lose permissions. */
const RECHECK_MS = 3000;

/** Throws where the token or the member is gone, or may not read the log any more. */
async function checkAgain({ caller, ...call }: LogCall, kernel: Kernel, id: string): Promise<void> {
  const present = await kernel.identity.identifyAgain(caller, kernel.clock.now());
  const may = (resource: string, action = LOG_ACCESS.action) => can(present, action, resource);
  await checkLogAccess({ ...call, caller: present, can: may }, kernel, id);
}

/** Not a generator: that would free its resources only with the next line, long after the client has gone. */
function followLog(kernel: Kernel, id: string, text: LogText, call: LogCall): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const follower = kernel.services.logFeed.follow(kernel, id, budgetIdOf(call.caller));
      const recheck = setInterval(() => {
        if (follower.isClosed) return clearInterval(recheck);
        void checkAgain(call, kernel, id).catch((error: unknown) => {
          // A database that cannot be asked says nothing about the reader.
          if (error instanceof Failure && error.kind !== 'unavailable') follower.break();
        });
      }, RECHECK_MS).unref();
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

/**
 * The pieces of a log as text: without escape sequences, unless they are wanted, with a notice in each gap, and masked where the
 * reader is not the owner.
 */
class LogText {
  readonly #stripper: AnsiStripper | undefined;
  readonly #mask: LogMask | undefined;
  #position = 0;

  constructor(isRaw: boolean, mask: LogMask | undefined) {
    this.#stripper = isRaw ? undefined : new AnsiStripper();
    this.#mask = mask;
  }

  *of({ at, content }: LogChunk): Generator<Uint8Array> {
    // A gap is between two lines, so that the mask holds nothing back.
    if (at > this.#position) yield Buffer.from(cutNotice(at - this.#position, content));
    this.#position = at + content.length;
    const stripped = this.#stripper === undefined ? content : this.#stripper.strip(content);
    const text = this.#mask === undefined ? stripped : this.#mask.mask(stripped);
    if (text.length > 0) yield text;
  }

  end(): Uint8Array {
    const rest = this.#stripper?.end() ?? new Uint8Array();
    return this.#mask === undefined ? rest : Buffer.concat([this.#mask.mask(rest), this.#mask.end()]);
  }
}

const getLog = route(
  {
    id: 'log_get',
    method: 'GET',
    path: '/logs/{buildOrRunId}',
    isContent: true,
    summary: 'Get the log of a build or run',
    description:
      'Each line begins with the time at which it was printed. Of a long log, the middle is left out, and a line says so. ' +
      PUBLIC_LOGS,
    access: LOG_ACCESS,
    params: Type.Object({ buildOrRunId: Type.String() }),
    query: LogQuery,
    produces: 'text/plain; charset=utf-8',
    reply: { 200: Type.String() },
  },
  (call, kernel) => serveLog(call, kernel, call.params.buildOrRunId),
);

export const logRoutes: Route[] = [getLog] as Route[];
