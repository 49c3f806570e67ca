// The smart HTTP protocol of git: what a repository has, fetches and pushes.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawExchange, RawRoute, RawRouteCall } from '../../kernel/raw-route.ts';
import { PUSH_REPOSITORY, READ_REPOSITORY, type FoundRepository } from '../repositories/access.ts';
import { announce } from './announce.ts';
import type { ServiceName } from './git-service.ts';
import { demandFolder, openForService, plainReplyOf, sendPlain } from './open-git.ts';
import { receive } from './receive.ts';
import { upload } from './upload.ts';

const BELOW = '/{owner}/{repo}';
const COMMON = { limit: 'git', challenge: 'Basic realm="Signalbox", charset="UTF-8"' };

const infoRefs: RawRoute = {
  id: 'git/info-refs',
  at: { method: 'GET', path: `${BELOW}/info/refs` },
  access: { ...READ_REPOSITORY, others: [PUSH_REPOSITORY.action] },
  ...COMMON,
  async open(call, kernel) {
    const service = serviceIn(call);
    return await opened(kernel, call, service, announce);
  },
};

const uploadPackRoute: RawRoute = {
  id: 'git/upload-pack',
  at: { method: 'POST', path: `${BELOW}/git-upload-pack` },
  access: READ_REPOSITORY,
  ...COMMON,
  open: (call, kernel) => opened(kernel, call, 'git-upload-pack', upload),
};

const receivePackRoute: RawRoute = {
  id: 'git/receive-pack',
  at: { method: 'POST', path: `${BELOW}/git-receive-pack` },
  access: PUSH_REPOSITORY,
  ...COMMON,
  open: (call, kernel) => opened(kernel, call, 'git-receive-pack', receive),
};

export const transportRoutes = [infoRefs, uploadPackRoute, receivePackRoute];

/** One exchange about a repository that the caller may use. */
export interface GitExchange extends RawExchange {
  kernel: Kernel;
  call: RawRouteCall;
  found: FoundRepository;
  service: ServiceName;
}

/** Opens the repository, and answers; an error before the first byte of a reply is sent as plain text. */
async function opened(
  kernel: Kernel,
  call: RawRouteCall,
  service: ServiceName | undefined,
  answer: (exchange: GitExchange) => Promise<void>,
): Promise<(exchange: RawExchange) => Promise<void>> {
  let found: FoundRepository;
  try {
    found = await openForService(kernel, call, service ?? 'git-upload-pack');
  } catch (error) {
    const failure = plainReplyOf(error);
    if (failure === undefined) throw error;
    return async ({ request, response }) => refuse(request, () => sendPlain(response, call, failure));
  }
  return async ({ request, response }) => {
    try {
      if (service === undefined) throw dumbProtocol();
      await demandFolder(kernel, found);
      await answer({ kernel, call, found, service, request, response });
    } catch (error) {
      const failure = plainReplyOf(error);
      if (failure === undefined || response.headersSent) throw error;
      kernel.log.info({ call: call.id, repository: found.repository.number }, failure.message);
      refuse(request, () => sendPlain(response, call, failure));
    }
  };
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

function dumbProtocol(): Failure {
  return new Failure(
    'forbidden',
    'This server speaks the smart HTTP protocol only, which git has had since version 1.6.6. Please use a newer git.',
  );
}
