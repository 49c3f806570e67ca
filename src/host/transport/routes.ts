// Repositories over the protocol of git: who may fetch and push, what a push may change, and what happens around it.
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isNamedLikeId, isValidRefName } from '../git/refs/revision.ts';
import { checkRefChanges, findCaseCollisions, type RefChange } from '../protection/check-ref-changes.ts';
import { beginPush, endPush } from '../pushes/push.ts';
import {
  openRepository,
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  type FoundRepository,
  type RepositoryCall,
} from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { gitRoutes } from './git-routes.ts';
import { callAgain, type ServiceName, type PushVerdict, type ServedGit } from './git-service.ts';
import type { ProposedPush } from './pre-receive-hook.ts';

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
  const fresh = await findFreshTips(kernel, number, proposal);
  return { messages, end: () => endPush(kernel, push, caller, fresh) };
}

/** More are not looked up. */
const MAX_FRESH_TIPS = 20;

/** Commits that the repository does not have while the push is in quarantine: no other branch can have them. */
async function findFreshTips(
  { services }: Kernel,
  number: number,
  { changes }: ProposedPush,
): Promise<Set<string>> {
  const tips = [...new Set(changes.flatMap(({ to }) => to ?? []))].slice(0, MAX_FRESH_TIPS);
  const infos = await services.git.repository(number).infos(tips);
  return new Set(tips.filter((_oid, index) => infos[index] === undefined));
}

/** More references in one push are refused. */
const MAX_PUSHED_REFS = 5000;

const MAX_MESSAGES = 20;

/**
 * Asked while the objects are in git's quarantine, before any reference is moved. What is wrong, in words for the
 * pusher; nothing where the push may be accepted.
 */
async function checkPush(
  kernel: Kernel,
  call: Pick<RepositoryCall, 'url'> & { caller: KnownCaller },
  { number }: { number: number },
  { changes, count, quarantine }: ProposedPush,
): Promise<string[]> {
  if (count > MAX_PUSHED_REFS)
    return [`The push changes ${count} references; the limit is ${MAX_PUSHED_REFS}. Push them in parts.`];
  let found: FoundRepository;
  let caller: KnownCaller;
  try {
    // Much may have changed since the push began: the role, the token, the repository itself.
    const present = await callAgain(kernel, call.caller, PUSH_REPOSITORY.action);
    ({ caller } = present);
    const params = { repository_id: number };
    found = await openRepository(kernel, { ...present, url: call.url, params }, 'write');
  } catch (error) {
    if (error instanceof Failure) return [error.message];
    throw error;
  }
  const git = kernel.services.git.repository(number);
  const names = [...checkNames(changes), ...(await findCaseCollisions(git, changes))];
  if (names.length > 0) return names.slice(0, MAX_MESSAGES);
  const { program, folder } = git;
  const target = { program, folder, ...(quarantine !== undefined && { quarantine }) };
  const refused = await checkRefChanges(kernel, found, { caller }, changes, target);
  return refused.slice(0, MAX_MESSAGES).map(({ message }) => message);
}

/** References of the server's own are hidden from pushes by git itself. */
function checkNames(changes: readonly RefChange[]): string[] {
  // What exists under a bad name can still be deleted.
  return changes.filter(({ to }) => to !== undefined).flatMap(({ name }) => problemWith(name) ?? []);
}

function problemWith(name: string): string | undefined {
  const [, , ...rest] = name.split('/');
  if (!isValidRefName(name)) return `${name} is not a name that a reference can have here.`;
  // The character stands for bytes that are no text: two such names would look the same, and neither could be asked for.
  if (name.includes('\ufffd')) return `${name}: the name of a reference must be UTF-8.`;
  if (rest.some((part) => part.startsWith('-')))
    return `${name}: a part of a name must not begin with a hyphen, because commands would take it for an option.`;
  if (isNamedLikeId(name)) return `${name}: a name must not consist of 40 hex digits, as ids of commits do.`;
  if (name.startsWith('refs/replace/')) return `${name}: objects cannot be replaced here.`;
  return rest.join('/') === 'HEAD' ? `${name}: HEAD cannot be the name of a branch or tag.` : undefined;
}
