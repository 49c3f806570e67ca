// The smart HTTP protocol of git: what there is, fetches and pushes, below the path of a repository or of a gist.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { RawAnswer, RawRoute, RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { asDownload } from './downloads.ts';
import { exchangePack, finishReply, openBody } from './exchange-pack.ts';
import {
  type ServiceName,
  announcement,
  protocolOf,
  receivePack,
  uploadPack,
  MAX_FETCH_BYTES,
  type GitExchange,
  type ServedGit,
} from './git-service.ts';
import { plainReplyOf, sendPlain, sendRefusal, NOT_CACHED } from './git-packets.ts';
import { receive } from './receive.ts';

/** One kind of what is served. */
interface ServedKind<Found> {
  /** The beginning of the ids of its routes. */
  name: string;
  /** The path that the routes are below. */
  below: string;
  read: RawRoute['access'];
  push: RawRoute['access'];
  /** Decides as for other calls. */
  open(kernel: Kernel, call: RawRouteCall, service: ServiceName): Promise<Found>;
  /** Looks whether there is a folder. */
  serve(kernel: Kernel, call: RawRouteCall, found: Found): Promise<ServedGit>;
}

const COMMON = { limit: 'git', challenge: 'Basic realm="Signalbox", charset="UTF-8"', refuse: refusePlainly };

export function gitRoutes<Found>(kind: ServedKind<Found>): RawRoute[] {
  const { name, below, read, push } = kind;
  const infoRefs: RawRoute = {
    id: `${name}/info-refs`,
    at: { method: 'GET', path: `${below}/info/refs` },
    access: { ...read, others: [push.action] },
    ...COMMON,
    open: (call, kernel) => opened(kind, kernel, call, serviceIn(call), announce),
  };
  const uploads: RawRoute = {
    id: `${name}/upload-pack`,
    at: { method: 'POST', path: `${below}/git-upload-pack` },
    access: read,
    ...COMMON,
    open: (call, kernel) => opened(kind, kernel, call, 'git-upload-pack', upload),
  };
  const pushes: RawRoute = {
    id: `${name}/receive-pack`,
    at: { method: 'POST', path: `${below}/git-receive-pack` },
    access: push,
    ...COMMON,
    open: (call, kernel) => opened(kind, kernel, call, 'git-receive-pack', receive),
  };
  return [infoRefs, uploads, pushes];
}

/** Opens what is asked for, and answers; an error before the first byte of a reply is sent as plain text. */
async function opened<Found>(
  kind: ServedKind<Found>,
  kernel: Kernel,
  call: RawRouteCall,
  service: ServiceName | undefined,
  answer: (exchange: GitExchange) => Promise<void>,
): Promise<RawAnswer> {
  const found = await openKnown(kind, kernel, call, service ?? 'git-upload-pack');
  return async ({ request, response }) => {
    let logged: ServedGit['logged'] | undefined;
    try {
      if (service === undefined) throw dumbProtocol();
      const served = await kind.serve(kernel, call, found);
      logged = served.logged;
      await answer({ kernel, call, served, service, request, response });
    } catch (error) {
      const failure = plainReplyOf(error);
      if (failure === undefined || response.headersSent) throw error;
      kernel.log.info({ call: call.id, ...logged }, failure.message);
      refuse(request, () => sendRefusal(response, call, service, failure));
    }
  };
}

function refusePlainly(error: unknown, call: RawRouteCall, { log }: Kernel): RawAnswer | undefined {
  const failure = plainReplyOf(error);
  if (failure === undefined) return undefined;
  if (failure.kind === 'unavailable') log.error({ call: call.id, err: failure }, failure.message);
  return async ({ request, response }) => refuse(request, () => sendPlain(response, call, failure));
}

/**
 * A caller without a credential is always asked for one instead of the answer that there is nothing of the name: git asks
 * its user only then.
 */
async function openKnown<Found>(
  kind: ServedKind<Found>,
  kernel: Kernel,
  call: RawRouteCall,
  service: ServiceName,
): Promise<Found> {
  const isAnonymous = (call.caller as { kind: string }).kind === 'anonymous';
  if (isAnonymous && service === 'git-receive-pack') throw needsCredential();
  try {
    return await kind.open(kernel, call, service);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found' && isAnonymous) throw needsCredential();
    throw error;
  }
}

/** Many clients read the reply only after they have sent the whole body. */
function refuse(request: IncomingMessage, send: () => void): void {
  request.resume();
  send();
}

/** Undefined for the protocol that reads files. */
function serviceIn({ url }: RawRouteCall): ServiceName | undefined {
  const service = new URL(url, 'http://host').searchParams.get('service');
  return service === 'git-upload-pack' || service === 'git-receive-pack' ? service : undefined;
}

function needsCredential(): Failure {
  return new Failure('unauthenticated', 'A token is needed, as the password of any user name.');
}

function dumbProtocol(): Failure {
  return new Failure(
    'forbidden',
    'This server speaks the smart HTTP protocol only, which git has had since version 1.6.6. Please use a newer git.',
  );
}

const TIMEOUT_MS = 5 * 60_000;
const MODE = '--http-backend-info-refs';
/** As git sends it: other values may ask for more. */
const VERSION_2 = 'version=2';
const MAX_ABILITIES = 64 * 1024;

/** The first request of every clone, fetch and push: which references and abilities there are. */
async function announce({ kernel, call, served, service, response }: GitExchange): Promise<void> {
  const { folder, program, maxPushBytes } = served;
  const { packs } = kernel.services;
  // Here git shows the reason to its user.
  packs.transfers.check(call);
  const isPush = service === 'git-receive-pack';
  const protocol = isPush ? undefined : protocolOf(call.headers['git-protocol']);
  const { args, start } = isPush
    ? receivePack({ folder }, MODE, { maxPushBytes, hooksPath: await packs.hooks.ensure() })
    : uploadPack({ folder, protocol }, MODE);
  const headers = { 'content-type': `application/x-${service}-advertisement`, ...NOT_CACHED };
  // No hook is asked.
  const options = { ...start, hasDialogue: false, timeoutMs: TIMEOUT_MS, signal: call.signal };
  if (protocol === VERSION_2) {
    const abilities = await packs.findAbilities(() =>
      program.run(args, { ...options, maxOutput: MAX_ABILITIES }),
    );
    response.writeHead(200, headers).end(call.method === 'HEAD' ? undefined : abilities);
    return;
  }
  const output = program.stream(args, options);
  let isFirst = true;
  for await (const chunk of await asDownload(kernel, call, output)) {
    if (isFirst) {
      response.writeHead(200, headers);
      if (call.method === 'HEAD') break;
      if (protocol?.startsWith('version=2') !== true) response.write(announcement(service));
    }
    isFirst = false;
    if (!response.write(chunk)) await once(response, 'drain', { signal: call.signal });
  }
  response.end();
}

/** Fetches and clones: sends the objects that the client asks for. */
async function upload({ kernel, call, served, request, response }: GitExchange): Promise<void> {
  const { packs } = kernel.services;
  const body = openBody(request, 'application/x-git-upload-pack-request');
  const { folder, program } = served;
  const protocol = protocolOf(call.headers['git-protocol']);
  const { args, start } = uploadPack({ folder, protocol }, '--stateless-rpc');
  const transfer = await packs.transfers.begin(call);
  try {
    const process = await program.start(args, start);
    call.signal.addEventListener('abort', process.kill, { once: true });
    if (call.signal.aborted) process.kill();
    const headers = { 'content-type': 'application/x-git-upload-pack-result', ...NOT_CACHED };
    await exchangePack({
      body,
      response,
      process,
      headers,
      isPush: false,
      maxBody: MAX_FETCH_BYTES,
      transfer,
      stop: process.kill,
    });
    finishReply(kernel, call, { body, response }, await process.exited, headers);
  } finally {
    transfer.end();
  }
}
