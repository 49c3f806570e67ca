// Routes about what a caller notes about a repository, such as a star: the permission is that of the user, not of the repository.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call, type HandlerResult, type Route, type RouteShape } from '../../kernel/route.ts';
import { userResource } from '../users/access.ts';
import {
  administersHost,
  openRepository,
  repositoryResource,
  type FoundRepository,
  type RepositoryCall,
} from './access.ts';
import type { ShownRepository } from './model.ts';
import type { Viewer } from './store-lists.ts';

/** The handler gets the repository, where the caller may see it. */
export function personalRoute<const S extends RouteShape>(
  shape: S,
  handle: (
    call: Call<S>,
    kernel: Kernel,
    found: FoundRepository,
  ) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) => {
      call.demand(userResource(accountOf(call.caller as KnownCaller)));
      return await handle(call, kernel, await openVisible(kernel, call));
    },
    async (call, kernel) => void (await openVisible(kernel, call)),
  );
}

/** A repository that was renamed is found by its former name. */
async function openVisible(kernel: Kernel, call: RepositoryCall): Promise<FoundRepository> {
  const { caller, now, url, params } = call;
  const reading = { caller, now, url, can: (resource: string) => call.can(resource, 'viewRepository') };
  try {
    return await openRepository(kernel, { ...reading, params }, 'read');
  } catch (error) {
    const location = error instanceof Failure && error.kind === 'moved' ? error.details.location : undefined;
    const number = /^\/repositories\/(\d+)/.exec(location ?? '')?.[1];
    if (number === undefined) throw error;
    return await openRepository(kernel, { ...reading, params: { repository_id: number } }, 'read');
  }
}

/** What the caller sees of the repositories that somebody has noted. */
export function viewerFor(caller: Caller): Viewer {
  if (caller.kind === 'anonymous') return 'public';
  return administersHost(caller) ? 'all' : { accountId: accountOf(caller).id };
}

/** Without private ones that the policy of the caller's token does not allow. */
export function withoutHidden(caller: Caller, shown: readonly ShownRepository[]): ShownRepository[] {
  return shown.filter(
    (one) => !one.repository.isPrivate || can(caller, 'viewRepository', repositoryResource(one)),
  );
}
