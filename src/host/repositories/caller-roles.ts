// Which role a caller has on repositories: as their owner, by grants, as an installation of an app, or as an administrator.
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { installationOf, shownRole, type InstallationProgram } from '../apps/program.ts';
import { listReachedNumbers, type InstallationReach } from '../apps/store-reach.ts';
import { parseRole, strongerRole, type Repository, type RepositoryRole } from './repository.ts';
import { listRepositoriesByNumber } from './store.ts';
import { listRoleGrants, isWithheld, listWithheld } from './store-visibility.ts';

/** Writers do not administer the host, and may do everything else. */
export const HOST_ROLE_STATEMENTS = {
  writer: [{ effect: 'deny' as const, actions: ['administerHost'], resources: ['host'] }],
};

export function administersHost(caller: Caller): boolean {
  return can(caller, 'administerHost', 'host');
}

/** Undefined for callers without a credential, and for those who may not see it. */
export async function roleOn(
  db: Db,
  caller: Caller,
  repository: Repository,
): Promise<RepositoryRole | undefined> {
  return (await rolesOn(db, caller, [repository])).get(repository.number);
}

/** By number; the caller has no role on those that are missing. */
export async function rolesOn(
  db: Db,
  caller: Caller,
  repositories: readonly Repository[],
): Promise<Map<number, RepositoryRole>> {
  if (caller.kind === 'anonymous') return new Map();
  const program = installationOf(caller);
  if (program === undefined && administersHost(caller))
    return new Map(repositories.map(({ number }) => [number, 'admin']));
  const accountId = program === undefined ? accountOf(caller).id : undefined;
  const roles =
    accountId === undefined
      ? await rolesOfInstallation(db, program!, repositories)
      : await rolesOfAccount(db, accountId, repositories);
  await withholdForks(db, accountId, repositories, roles);
  return roles;
}

/** A fork whose owner has lost its private source is seen by those alone who administer the source. */
async function withholdForks(
  db: Db,
  accountId: string | undefined,
  repositories: readonly Repository[],
  roles: Map<number, RepositoryRole>,
): Promise<void> {
  const withheld = await listWithheld(db, repositories);
  if (withheld.size === 0) return;
  const sources = await listRepositoriesByNumber(db, [...withheld.values()].filter(isNumber));
  const onSources =
    accountId === undefined ? new Map() : await rolesOfAccount(db, accountId, [...sources.values()]);
  for (const [number, source] of withheld) {
    if (source !== null && onSources.get(source) === 'admin') roles.set(number, 'read');
    else roles.delete(number);
  }
}

function isNumber(value: number | null): value is number {
  return value !== null;
}

async function rolesOfInstallation(
  db: Db,
  program: InstallationProgram,
  repositories: readonly Repository[],
): Promise<Map<number, RepositoryRole>> {
  const { reach } = program;
  const own = repositories.filter(({ ownerId }) => ownerId === reach.accountId);
  const reached = await listReachedNumbers(
    db,
    reach,
    own.map(({ number }) => number),
  );
  const roles = new Map<number, RepositoryRole>();
  for (const repository of repositories) {
    const role = shownRole(program, repository, reached.has(repository.number));
    if (role !== undefined) roles.set(repository.number, role);
  }
  return roles;
}

/** Everybody may read what is public. Without what the base role of a member adds. */
export async function rolesOfAccount(
  db: Db,
  accountId: string,
  repositories: readonly Repository[],
): Promise<Map<number, RepositoryRole>> {
  const others = repositories.filter(({ ownerId }) => ownerId !== accountId);
  const grants = others.length === 0 ? [] : await listRoleGrants(db, others, accountId);
  const roles = new Map<number, RepositoryRole>();
  for (const { number, ownerId, isPrivate } of repositories) {
    if (ownerId === accountId) roles.set(number, 'admin');
    else if (!isPrivate) roles.set(number, 'read');
  }
  for (const { number, role } of grants) {
    const strongest = strongerRole(roles.get(number), parseRole(role));
    if (strongest !== undefined) roles.set(number, strongest);
  }
  return roles;
}

/** Whether the installation reaches it; false without one. */
export async function reachesRepository(
  db: Db,
  reach: InstallationReach | undefined,
  repository: Repository,
): Promise<boolean> {
  const { number, ownerId } = repository;
  if (reach?.accountId !== ownerId || (await isWithheld(db, repository))) return false;
  return (await listReachedNumbers(db, reach, [number])).has(number);
}
