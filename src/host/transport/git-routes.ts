// The smart HTTP protocol of git: what there is, fetches and pushes, below the path of a repository or of a gist.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawAnswer, RawRoute, RawRouteCall } from '../../kernel/http/raw-route.ts';
import { announce } from './announce.ts';
import type { ServiceName } from './git-service.ts';
import { plainReplyOf, sendPlain, sendRefusal } from './plain-reply.ts';
import { receive } from './receive.ts';
import type { GitExchange, ServedGit } from './served-git.ts';
import { upload } from './upload.ts';

/** One kind of what is served. */
export interface ServedKind<Found> {
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
  const uploadPack: RawRoute = {
    id: `${name}/upload-pack`,
    at: { method: 'POST', path: `${below}/git-upload-pack` },
    access: read,
    ...COMMON,
    open: (call, kernel) => opened(kind, kernel, call, 'git-upload-pack', upload),
  };
  const receivePack: RawRoute = {
    id: `${name}/receive-pack`,
    at: { method: 'POST', path: `${below}/git-receive-pack` },
    access: push,
    ...COMMON,
    open: (call, kernel) => opened(kind, kernel, call, 'git-receive-pack', receive),
  };
  return [infoRefs, uploadPack, receivePack];
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
 * A caller without a credential is always asked for one instead of being told that there is nothing of the name: git asks
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
