// Repositories over the protocol of git: who may fetch and push, and what happens around a push.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { beginPush } from '../pushes/begin-push.ts';
import { endPush } from '../pushes/record-pushes.ts';
import {
  openRepository,
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryResource,
  type FoundRepository,
} from '../repositories/access.ts';
import { checkPush, MAX_PUSHED_REFS } from './check-push.ts';
import { gitRoutes } from './git-routes.ts';
import type { ServiceName } from './git-service.ts';
import type { ProposedPush } from './hook-dialogue.ts';
import type { PushVerdict, ServedGit } from './served-git.ts';

export const transportRoutes = gitRoutes<FoundRepository>({
  name: 'git',
  below: '/{owner}/{repo}',
  read: READ_REPOSITORY,
  push: PUSH_REPOSITORY,
  open: openForService,
  serve: serveRepository,
});

async function openForService(
  kernel: Kernel,
  call: RawRouteCall,
  service: ServiceName,
): Promise<FoundRepository> {
  const isPush = service === 'git-receive-pack';
  const found = await openRepository(kernel, call, isPush ? 'write' : 'read', 'isServed');
  if (isPush && !call.can(repositoryResource(found), 'pushRepository'))
    throw new Failure('denied', 'The token does not allow pushes to this repository.');
  return found;
}

/** Until it is filled, a fork has no folder. */
async function serveRepository(
  kernel: Kernel,
  call: RawRouteCall,
  { repository: { number } }: FoundRepository,
): Promise<ServedGit> {
  const { git, packs } = kernel.services;
  const { folder, program } = git.repository(number);
  if (!(await git.exists(number)))
    throw new Failure('unavailable', 'The repository is still being copied. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  return {
    folder,
    program,
    row: { table: 'repositories', number },
    logged: { repository: number },
    maxPushBytes: packs.maxPushBytes,
    maxPushedRefs: MAX_PUSHED_REFS,
    judgePush: (proposal) => judgePush(kernel, call, number, proposal),
  };
}

async function judgePush(
  kernel: Kernel,
  call: RawRouteCall,
  number: number,
  proposal: ProposedPush,
): Promise<PushVerdict> {
  const messages = await checkPush(kernel, call, { number }, proposal);
  if (messages.length > 0) return { messages };
  const { caller } = call;
  const push = await beginPush(kernel, { caller, now: kernel.clock.now() }, number, proposal.changes);
  return { messages, end: () => endPush(kernel, push, caller) };
}
