// Who sees a repository: everybody where it is public, else those who have a role there and whose token may view it.
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { installationOf } from '../apps/program.ts';
import { administersHost, roleOn } from './caller-roles.ts';
import type { ShownRepository } from './model.ts';
import { repositoryResource } from './repository.ts';
import type { Viewer } from './store-visibility.ts';

/** By the role that the caller has on it now, which is none on a fork that is withheld. */
export function isRepositoryVisible(caller: Caller, { repository, owner, role }: ShownRepository): boolean {
  if (!repository.isPrivate) return true;
  if (role === undefined || installationOf(caller)?.lacks !== undefined) return false;
  return can(caller, 'viewRepository', repositoryResource({ repository, owner }));
}

/** For repositories that a call names beside that of its path. */
export async function mayRead(
  db: Db,
  caller: Caller,
  found: Omit<ShownRepository, 'role'>,
): Promise<boolean> {
  const { repository } = found;
  return isRepositoryVisible(caller, {
    ...found,
    role: repository.isPrivate ? await roleOn(db, caller, repository) : undefined,
  });
}

/** The same for statements. What they find is then shown by `showRepositories`, which asks `isRepositoryVisible`. */
export function viewerFor(caller: Caller): Viewer {
  if (caller.kind === 'anonymous') return 'public';
  const program = installationOf(caller);
  if (program !== undefined) return program.lacks === undefined ? { reach: program.reach } : 'public';
  return administersHost(caller) ? 'all' : { accountId: accountOf(caller).id };
}
