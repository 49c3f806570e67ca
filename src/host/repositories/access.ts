// The one function that decides what a caller may do on a repository, and the routes that ask it.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call, type HandlerResult, type Route, type RouteShape } from '../../kernel/route.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { Type } from '../../kernel/schema.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findOwner, listOwners } from '../owners/store.ts';
import { includesRole, parseRole, strongerRole, type Repository, type RepositoryRole } from './repository.ts';
import { findRepositoryByName, findRepositoryByNumber } from './store.ts';
import { listCustomBaseRoles, listRoleGrants } from './store-roles.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By name in lower case, or by number. */
    repositories: BoundedCache<string, FoundRepository>;
  }
}

export interface FoundRepository {
  repository: Repository;
  owner: RepositoryOwner;
}

/** For the `params` of routes below a repository. */
export const RepositoryPath = Type.Object({ owner: Type.String(), repo: Type.String() });

/** For the `access` of routes below a repository. */
export const READ_REPOSITORY = { action: 'viewRepository', ofOwner: true, isOpen: true } as const;
export const PUSH_REPOSITORY = { action: 'pushRepository', ofOwner: true } as const;
export const UPDATE_REPOSITORY = { action: 'updateRepository', ofOwner: true } as const;

/** Base roles that administer the whole host; writers may do everything else. */
export const HOST_ROLE_STATEMENTS = {
  writer: [{ effect: 'deny' as const, actions: ['administerHost'], resources: ['host'] }],
};

/** Notified by every commit that changes a repository or its owner. */
export const REPOSITORY_CHANNEL = 'repositories';
const CACHE_MS = 5000;
const MAX_CACHED = 10_000;

export async function openRepositoryCache(engine: Engine): Promise<BoundedCache<string, FoundRepository>> {
  const repositories = new BoundedCache<string, FoundRepository>({ max: MAX_CACHED });
  await engine.listen(REPOSITORY_CHANNEL, () => repositories.clear());
  return repositories;
}

/** The part of a call that access checks need. */
export type RepositoryCall = Pick<Call, 'can' | 'now'> & { caller: Caller; params: unknown };

interface RepositoryName {
  owner?: string;
  repo?: string;
  repository_id?: number | string;
}

/** A route below a repository: the handler gets it, where the caller has the role. */
export function repositoryRoute<const S extends RouteShape>(
  shape: S,
  needed: RepositoryRole,
  handle: (
    call: Call<S>,
    kernel: Kernel,
    found: FoundRepository,
  ) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) =>
      await handle(call, kernel, await openRepository(kernel, call as unknown as RepositoryCall, needed)),
    async (call, kernel) => void (await openRepository(kernel, call, needed)),
  );
}

/** Throws unless the caller has the role. A repository that the caller may not see is reported as missing. */
export async function openRepository(
  kernel: Kernel,
  call: RepositoryCall,
  needed: RepositoryRole,
): Promise<FoundRepository> {
  const found = await findNamed(kernel, call);
  if (found === undefined) throw repositoryNotFound();
  const { repository } = found;
  const isAllowed = call.can(repositoryResource(found));
  if (needed === 'read' && !repository.isPrivate) return found;
  const role = await roleOn(kernel.db, call.caller, found);
  if (role === undefined || (repository.isPrivate && !mayView(call, found))) throw repositoryNotFound();
  if (!isAllowed || !includesRole(role, needed)) throw repositoryDenied(needed);
  if (repository.isArchived && needed !== 'read' && needed !== 'admin') throw archivedRepository();
  return found;
}

/** Undefined for callers without a credential, and for those who may not see it. */
export async function roleOn(
  db: Db,
  caller: Caller,
  found: FoundRepository,
): Promise<RepositoryRole | undefined> {
  if (caller.kind === 'anonymous') return undefined;
  return administersHost(caller) ? 'admin' : await roleOfAccount(db, accountOf(caller).id, found);
}

/** Everybody may read what is public. Without what the base role of a member adds. */
export async function roleOfAccount(
  db: Db,
  accountId: string,
  { repository, owner }: FoundRepository,
): Promise<RepositoryRole | undefined> {
  if (repository.ownerId === accountId) return 'admin';
  const { membership, granted } = await listRoleGrants(db, repository, accountId);
  if (membership?.role === 'admin') return 'admin';
  const known = granted.map(parseRole);
  const custom = granted.filter((_, index) => known[index] === undefined);
  const roles = [
    repository.isPrivate ? undefined : ('read' as const),
    parseRole(membership?.defaultPermission ?? 'none'),
    ...known,
    ...(custom.length === 0 ? [] : await listCustomBaseRoles(db, owner.id, custom)).map(parseRole),
  ];
  return roles.reduce(strongerRole, undefined);
}

export function administersHost(caller: Caller): boolean {
  return can(caller, 'administerHost', 'host');
}

export function repositoryResource({ repository, owner }: FoundRepository): string {
  return `repo/${owner.login}/${repository.name}`;
}

function mayView(call: RepositoryCall, found: FoundRepository): boolean {
  return can(call.caller, 'viewRepository', repositoryResource(found));
}

async function findNamed(kernel: Kernel, call: RepositoryCall): Promise<FoundRepository | undefined> {
  const { owner, repo, repository_id: number } = call.params as RepositoryName;
  if (number !== undefined) {
    return await findCached(kernel, `${number}`, call.now, () =>
      findWithOwner(kernel.db, () => findRepositoryByNumber(kernel.db, Number(number))),
    );
  }
  if (owner === undefined || repo === undefined) return undefined;
  const name = repo.replace(/\.git$/, '');
  return await findCached(kernel, `${owner}/${name}`.toLowerCase(), call.now, async () => {
    const named = await findOwner(kernel.db, owner);
    const repository = named && (await findRepositoryByName(kernel.db, named.id, name));
    return repository && { repository, owner: named };
  });
}

async function findCached(
  { services: { repositories } }: Kernel,
  key: string,
  now: number,
  find: () => Promise<FoundRepository | undefined>,
): Promise<FoundRepository | undefined> {
  const cached = repositories.get(key, now);
  if (cached !== undefined) return cached;
  return await repositories.load(key, async () => {
    const found = await find();
    return found && { value: found, until: now + CACHE_MS };
  });
}

async function findWithOwner(
  db: Db,
  find: () => Promise<Repository | undefined>,
): Promise<FoundRepository | undefined> {
  const repository = await find();
  if (repository === undefined) return undefined;
  const owner = (await listOwners(db, [repository.ownerId])).get(repository.ownerId);
  return owner && { repository, owner };
}

export function repositoryNotFound(): Failure {
  return new Failure('not-found', 'There is no such repository');
}

function repositoryDenied(needed: RepositoryRole): Failure {
  return new Failure('denied', `You must have ${needed} rights to the repository.`);
}

function archivedRepository(): Failure {
  return new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
}
