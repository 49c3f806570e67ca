// Who may see and change code scanning: those who may write to the repository, whether it is public or not.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { installationOf } from '../apps/program.ts';
import { openRepository, type FoundRepository, type RepositoryCall } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';

export const VIEW_SCANNING = { action: 'viewCodeScanning', ofOwner: true } as const;
export const UPDATE_SCANNING = { action: 'updateCodeScanning', ofOwner: true } as const;

/** The query of lists that can be narrowed to a ref. */
export const RefQuery = {
  ref: Type.Optional(Type.String({ description: 'A full name, or that of a branch' })),
  pr: Type.Optional(Type.Integer({ minimum: 1 })),
};

/** Undefined where no ref is asked for. */
export function askedRefs({ ref, pr }: { ref?: string; pr?: number }): string[] | undefined {
  if (ref !== undefined) return [ref.startsWith('refs/') ? ref : `refs/heads/${ref}`];
  return pr === undefined ? undefined : [`refs/pull/${pr}/merge`, `refs/pull/${pr}/head`];
}

export function scanningRoute<const S extends RouteShape>(
  shape: S,
  handle: (
    call: Call<S>,
    kernel: Kernel,
    found: FoundRepository,
  ) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  const isChange = shape.method !== 'GET';
  return route(
    shape,
    async (call, kernel) =>
      await handle(call, kernel, await openScanning(kernel, call as unknown as RepositoryCall, isChange)),
    async (call, kernel) => void (await openScanning(kernel, call, isChange)),
  );
}

async function openScanning(
  kernel: Kernel,
  call: RepositoryCall,
  isChange: boolean,
): Promise<FoundRepository> {
  // An installation is held to its permissions and the repositories that it reaches, whatever the role.
  const isInstallation = installationOf(call.caller) !== undefined;
  const found = await openRepository(kernel, call, isInstallation ? 'admin' : 'read');
  const isAllowed = call.can(repositoryResource(found));
  if (
    !isAllowed ||
    !(isInstallation || includesRole(await roleOn(kernel.db, call.caller, found.repository), 'write'))
  )
    throw new Failure(
      'denied',
      `You are not authorized to ${isChange ? 'write' : 'read'} code scanning alerts.`,
    );
  if (isChange && found.repository.isArchived)
    throw new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
  return found;
}
