// The one function that decides what a caller may do on a repository, and the routes that ask it.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call, type HandlerResult, type Route, type RouteShape } from '../../kernel/route.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { GitError } from '../git/git-process.ts';
import { installationOf, notAccessible, shownRole, type InstallationProgram } from '../apps/program.ts';
import { listReachedNumbers } from '../apps/store-reach.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findOwner, listOwners } from '../owners/store.ts';
import { includesRole, parseRole, strongerRole, type Repository, type RepositoryRole } from './repository.ts';
import { findRepositoryByName, findRepositoryByNumber } from './store.ts';
import { findRedirect } from './store-redirects.ts';
import type { RepositoryParamValues } from './repository-params.ts';
import { listRoleGrants } from './store-roles.ts';

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
export type RepositoryCall = Pick<Call, 'can' | 'now' | 'url'> & { caller: Caller; params: unknown };

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
      await readOpened(
        kernel,
        await openRepository(kernel, call as unknown as RepositoryCall, needed),
        (found) => handle(call, kernel, found),
      ),
    async (call, kernel) => void (await openRepository(kernel, call, needed)),
  );
}

/** Throws unless the caller has the role. A repository that the caller may not see is reported as missing. */
export async function openRepository(
  kernel: Kernel,
  call: RepositoryCall,
  needed: RepositoryRole,
): Promise<FoundRepository> {
  const found = await findRepositoryNamed(kernel, call);
  if (found === undefined) throw (await findMoved(kernel, call)) ?? repositoryNotFound();
  const { repository } = found;
  const isAllowed = call.can(repositoryResource(found));
  if (needed === 'read' && !repository.isPrivate) return found;
  if (installationOf(call.caller) !== undefined)
    return await openAsInstallation(kernel.db, call, found, needed);
  const role = await roleOn(kernel.db, call.caller, found);
  if (role === undefined || (repository.isPrivate && !mayView(call, found))) throw repositoryNotFound();
  if (!isAllowed || !includesRole(role, needed)) throw repositoryDenied(needed);
  if (repository.isArchived && needed !== 'read' && needed !== 'admin') throw archivedRepository();
  return found;
}

/** Where git fails because another call or node has removed the repository meanwhile, it is reported as missing. */
export async function readOpened<Result>(
  { services: { git } }: Kernel,
  found: FoundRepository,
  read: (found: FoundRepository) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read(found);
  } catch (error) {
    if (!(error instanceof GitError) || (await git.exists(found.repository.number))) throw error;
    throw repositoryNotFound();
  }
}

/** Whoever may call the route has the permission that it needs; what is left is whether the installation reaches it. */
async function openAsInstallation(
  db: Db,
  { caller }: RepositoryCall,
  found: FoundRepository,
  needed: RepositoryRole,
): Promise<FoundRepository> {
  const { isPrivate, isArchived } = found.repository;
  if (!(await reachesRepository(db, caller, found))) throw isPrivate ? repositoryNotFound() : notAccessible();
  const lacks = installationOf(caller)?.lacks;
  if (lacks !== undefined) throw notAccessible(lacks);
  if (isArchived && needed !== 'read' && needed !== 'admin') throw archivedRepository();
  return found;
}

/** False for callers that are no installations. */
export async function reachesRepository(
  db: Db,
  caller: Caller,
  { repository: { number, ownerId } }: FoundRepository,
): Promise<boolean> {
  const reach = installationOf(caller)?.reach;
  if (reach?.accountId !== ownerId) return false;
  return (await listReachedNumbers(db, reach, [number])).has(number);
}

/** For addresses with a signed token, which `isGranted` checks: without a good one the caller must be a reader. */
export async function openDownload(
  kernel: Kernel,
  call: RepositoryCall,
  isGranted: (repository: Repository) => boolean,
): Promise<FoundRepository> {
  const found = await findRepositoryNamed(kernel, call);
  if (found === undefined || !isGranted(found.repository)) return await openRepository(kernel, call, 'read');
  call.can(repositoryResource(found));
  return found;
}

/** Undefined for callers without a credential, and for those who may not see it. */
export async function roleOn(
  db: Db,
  caller: Caller,
  found: FoundRepository,
): Promise<RepositoryRole | undefined> {
  return (await rolesOn(db, caller, [found.repository])).get(found.repository.number);
}

/** By number; the caller has no role on those that are missing. */
export async function rolesOn(
  db: Db,
  caller: Caller,
  repositories: readonly Repository[],
): Promise<Map<number, RepositoryRole>> {
  if (caller.kind === 'anonymous') return new Map();
  const program = installationOf(caller);
  if (program !== undefined) return await rolesOfInstallation(db, program, repositories);
  if (administersHost(caller)) return new Map(repositories.map(({ number }) => [number, 'admin']));
  return await rolesOfAccount(db, accountOf(caller).id, repositories);
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

/** For repositories that a call names beside that of its path. */
export async function mayRead(
  db: Db,
  call: Pick<RepositoryCall, 'caller'>,
  found: FoundRepository,
): Promise<boolean> {
  if (!found.repository.isPrivate) return true;
  return mayView(call, found) && (await roleOn(db, call.caller, found)) !== undefined;
}

export function administersHost(caller: Caller): boolean {
  return can(caller, 'administerHost', 'host');
}

export function repositoryResource({ repository, owner }: FoundRepository): string {
  return `repo/${owner.login}/${repository.name}`;
}

function mayView(call: Pick<RepositoryCall, 'caller'>, found: FoundRepository): boolean {
  return can(call.caller, 'viewRepository', repositoryResource(found));
}

/** Before validation the number is text. */
type RawParamValues = Omit<RepositoryParamValues, 'repository_id'> & { repository_id?: number | string };

export async function findRepositoryNamed(
  kernel: Kernel,
  call: Pick<RepositoryCall, 'params' | 'now'>,
): Promise<FoundRepository | undefined> {
  const { owner, repo, repository_id: number } = call.params as RawParamValues;
  if (number !== undefined) {
    return await findCached(kernel, `${number}`, call.now, () =>
      findWithOwner(kernel.db, () => findRepositoryByNumber(kernel.db, Number(number))),
    );
  }
  if (owner === undefined || repo === undefined) return undefined;
  const name = nameIn(repo);
  return await findCached(kernel, `${owner}/${name}`.toLowerCase(), call.now, async () => {
    const named = await findOwner(kernel.db, owner);
    const repository = named && (await findRepositoryByName(kernel.db, named, name));
    return repository && { repository, owner: named };
  });
}

/** Where a former name leads, for callers who may see what has it. */
async function findMoved(kernel: Kernel, call: RepositoryCall): Promise<Failure | undefined> {
  const { owner, repo } = call.params as RepositoryParamValues;
  const named = owner === undefined ? undefined : await findOwner(kernel.db, owner);
  const number = named && repo !== undefined && (await findRedirect(kernel.db, named.id, nameIn(repo)));
  if (!number) return undefined;
  const target = await findWithOwner(kernel.db, () => findRepositoryByNumber(kernel.db, number));
  if (target === undefined) return undefined;
  if (!(await mayRead(kernel.db, call, target))) return undefined;
  const { repository, owner: newOwner } = target;
  const [, ofGit] =
    /^\/[^/?]+\/[^/?]+(\/(?:info\/refs|git-(?:upload|receive)-pack)(?:\?.*)?)$/s.exec(call.url) ?? [];
  if (ofGit !== undefined)
    return new Failure('moved', 'Moved Permanently', {
      location: `/${newOwner.login}/${repository.name}.git${ofGit}`,
    });
  const [, word = 'repos', rest = ''] =
    /\/(repos|raw|archives|networks)\/[^/?]+\/[^/?]+(.*)$/s.exec(call.url) ?? [];
  const start =
    word === 'repos' ? `/repositories/${number}` : `/${word}/${newOwner.login}/${repository.name}`;
  return new Failure('moved', 'Moved Permanently', { location: start + rest });
}

/** Addresses for git end with `.git`. */
function nameIn(repo: string): string {
  return repo.replace(/\.git$/, '');
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
