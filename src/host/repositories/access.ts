// Finds the repository that the path of a call names, and decides whether its caller may do there what the route needs.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { GitError } from '../git/process/git-process.ts';
import { installationOf, notAccessible } from '../apps/program.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findOwner, listOwners } from '../owners/store.ts';
import { reachesRepository, roleOn } from './caller-roles.ts';
import { includesRole, repositoryResource, type Repository, type RepositoryRole } from './repository.ts';
import { findRepositoryByName, findRepositoryByNumber } from './store.ts';
import { findRedirect } from './store-redirects.ts';
import { isWithheld } from './store-visibility.ts';
import { isRepositoryVisible, mayRead } from './visibility.ts';

/** Either `owner` and `repo` are there, or `repository_id` is. Routes below a repository add their own parameters. */
export const RepositoryParams = {
  owner: Type.Optional(Type.String()),
  repo: Type.Optional(Type.String()),
  repository_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const RepositoryParamsObject = Type.Object(RepositoryParams);

export type RepositoryParamValues = Static<typeof RepositoryParamsObject>;

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

/**
 * Throws unless the caller has the role. A repository that the caller may not see is reported as missing. A former name leads to
 * the address of today. `isServed`: it is as good as the present one, for git, which loses its credential on the way there.
 */
export async function openRepository(
  kernel: Kernel,
  call: RepositoryCall,
  needed: RepositoryRole,
  formerName: 'isRedirected' | 'isServed' = 'isRedirected',
): Promise<FoundRepository> {
  const named = await findRepositoryNamed(kernel, call);
  const found = named ?? (await findByFormerName(kernel, call));
  if (found === undefined) throw repositoryNotFound();
  if (named === undefined && formerName === 'isRedirected') throw movedTo(call, found);
  const { repository } = found;
  const isAllowed = call.can(repositoryResource(found));
  if (needed === 'read' && !repository.isPrivate) return found;
  if (installationOf(call.caller) !== undefined)
    return await openAsInstallation(kernel.db, call, found, needed);
  const role = await roleOn(kernel.db, call.caller, found.repository);
  if (role === undefined || !isRepositoryVisible(call.caller, { ...found, role })) throw repositoryNotFound();
  if (!isAllowed || !includesRole(role, needed)) throw repositoryDenied(needed);
  if (needed !== 'read' && needed !== 'admin' && (await isReadOnly(kernel.db, repository)))
    throw archivedRepository();
  return found;
}

/** A fork that is withheld counts as archived. */
export async function isReadOnly(db: Db, repository: Repository): Promise<boolean> {
  return repository.isArchived || (await isWithheld(db, repository));
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
  const installation = installationOf(caller);
  if (!(await reachesRepository(db, installation?.reach, found.repository)))
    throw isPrivate ? repositoryNotFound() : notAccessible();
  if (installation?.lacks !== undefined) throw notAccessible(installation.lacks);
  if (isArchived && needed !== 'read' && needed !== 'admin') throw archivedRepository();
  return found;
}

/** For addresses with a signed token, which `isGranted` checks: without a good one the caller must be a reader. */
export async function openDownload(
  kernel: Kernel,
  call: RepositoryCall,
  isGranted: (found: FoundRepository) => Promise<boolean>,
): Promise<FoundRepository> {
  const found = await findRepositoryNamed(kernel, call);
  if (found === undefined || !(await isGranted(found))) return await openRepository(kernel, call, 'read');
  call.can(repositoryResource(found));
  return found;
}

/** Whose entry of the audit log it is: it follows the repository to another owner. */
export function entryOwnerOf({ repository, owner }: FoundRepository): Pick<Change, 'ownerId' | 'subject'> {
  return { ownerId: owner.id, subject: repositorySubject(repository.number) };
}

export function repositorySubject(number: number): string {
  return `repository/${number}`;
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

/** For callers who may see it: others must not learn that it had the name. */
async function findByFormerName(kernel: Kernel, call: RepositoryCall): Promise<FoundRepository | undefined> {
  const { owner, repo } = call.params as RepositoryParamValues;
  const named = owner === undefined ? undefined : await findOwner(kernel.db, owner);
  const number = named && repo !== undefined && (await findRedirect(kernel.db, named.id, nameIn(repo)));
  if (!number) return undefined;
  const target = await findWithOwner(kernel.db, () => findRepositoryByNumber(kernel.db, number));
  return target !== undefined && (await mayRead(kernel.db, call.caller, target)) ? target : undefined;
}

function movedTo({ url }: RepositoryCall, { repository, owner }: FoundRepository): Failure {
  const [, word = 'repos', rest = ''] =
    /\/(repos|raw|archives|networks)\/[^/?]+\/[^/?]+(.*)$/s.exec(url) ?? [];
  const start =
    word === 'repos' ? `/repositories/${repository.number}` : `/${word}/${owner.login}/${repository.name}`;
  return new Failure('moved', 'Moved Permanently', { location: start + rest });
}

/** Addresses for git end with `.git`. */
function nameIn(repo: string): string {
  return repo.replace(/\.git$/, '');
}

async function findCached(
  { services: { repositories }, isKeepingReply }: Kernel,
  key: string,
  now: number,
  find: () => Promise<FoundRepository | undefined>,
): Promise<FoundRepository | undefined> {
  if (isKeepingReply) return await find();
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

export function repositoryDenied(needed: RepositoryRole): Failure {
  return new Failure('denied', `You must have ${needed} rights to the repository.`);
}

export function archivedRepository(): Failure {
  return new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
}
