// Which repository a request of git is about, and the errors for those who may not have it.
import type { ServerResponse } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/raw-route.ts';
import { hostStatusOf } from '../failures.ts';
import { openRepository, repositoryResource, type FoundRepository } from '../repositories/access.ts';
import type { ServiceName } from './git-service.ts';

/**
 * Decides as for the other calls. A caller without a credential is always asked for one instead of being told that there is
 * no such repository: git asks its user only then.
 */
export async function openForService(
  kernel: Kernel,
  call: RawRouteCall,
  service: ServiceName,
): Promise<FoundRepository> {
  const isPush = service === 'git-receive-pack';
  if (isPush && isAnonymous(call)) throw needsCredential();
  try {
    const found = await openRepository(kernel, call, isPush ? 'write' : 'read');
    if (isPush && !call.can(repositoryResource(found), 'pushRepository'))
      throw new Failure('denied', 'The token does not allow pushes to this repository.');
    return found;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found' && isAnonymous(call)) throw needsCredential();
    throw error;
  }
}

function isAnonymous({ caller }: { caller: Caller }): boolean {
  return caller.kind === 'anonymous';
}

/** Until it is filled, a fork has no folder. */
export async function demandFolder({ services }: Kernel, { repository }: FoundRepository): Promise<void> {
  services.git.demand();
  if (await services.git.exists(repository.number)) return;
  throw new Failure('unavailable', 'The repository is still being copied. Try again in a moment.', {
    headers: { 'retry-after': '5' },
  });
}

/** What a person reads in a terminal: git shows the body only where it is plain text, and has own words for 401 and 404. */
export function plainReplyOf(error: unknown): Failure | undefined {
  if (!(error instanceof Failure)) return undefined;
  return ['unauthenticated', 'not-found', 'moved', 'internal'].includes(error.kind) ? undefined : error;
}

export function sendPlain(response: ServerResponse, call: RawRouteCall, failure: Failure): void {
  const body = Buffer.from(`${failure.message}\n`);
  response.writeHead(hostStatusOf(failure, call as never), {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
    ...NOT_CACHED,
    ...failure.details.headers,
  });
  response.end(call.method === 'HEAD' ? undefined : body);
}

export const NOT_CACHED = { 'cache-control': 'no-cache, max-age=0, must-revalidate', pragma: 'no-cache' };

function needsCredential(): Failure {
  return new Failure('unauthenticated', 'A token is needed, as the password of any user name.');
}
