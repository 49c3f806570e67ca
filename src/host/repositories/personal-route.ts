// Routes about what a caller notes about a repository, such as a star: the permission is that of the user, not of the repository.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import { userResource } from '../users/access.ts';
import { openRepository, type FoundRepository, type RepositoryCall } from './access.ts';

/** The handler gets the repository, where the caller may see it. */
export function personalRoute<const S extends RouteShape>(
  shape: S,
  handle: (
    call: Call<S>,
    kernel: Kernel,
    found: FoundRepository,
  ) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  // Below the repository's own path, a former name is answered with the new address.
  const open = shape.path.startsWith('/repos/') ? openToRead : openByAnyName;
  return route(
    shape,
    async (call, kernel) => {
      call.requirePermission(userResource(accountOf(call.caller as KnownCaller)));
      return await handle(call, kernel, await open(kernel, call));
    },
    async (call, kernel) => void (await open(kernel, call)),
  );
}

async function openToRead(kernel: Kernel, call: RepositoryCall): Promise<FoundRepository> {
  const { caller, now, url, params } = call;
  const mayView = (resource: string) => call.can(resource, 'viewRepository');
  return await openRepository(kernel, { can: mayView, caller, now, url, params }, 'read');
}

/** A repository that was renamed is found by its former name. */
async function openByAnyName(kernel: Kernel, call: RepositoryCall): Promise<FoundRepository> {
  try {
    return await openToRead(kernel, call);
  } catch (error) {
    const location = error instanceof Failure && error.kind === 'moved' ? error.details.location : undefined;
    const number = /^\/repositories\/(\d+)/.exec(location ?? '')?.[1];
    if (number === undefined) throw error;
    const { caller, now, url } = call;
    const ask = (resource: string, action?: string) => call.can(resource, action);
    return await openToRead(kernel, { can: ask, caller, now, url, params: { repository_id: number } });
  }
}
