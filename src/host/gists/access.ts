// Who may do what with a gist, and the routes that ask it.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import type { Gist } from './gist.ts';
import { findGist } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** The owners of gists, by id. */
    gistOwners: BoundedCache<string, RepositoryOwner>;
  }
}

export interface FoundGist {
  gist: Gist;
  owner: RepositoryOwner;
}

/** Everybody who knows the id of a gist may read it. */
export const READ_GIST = { action: 'viewGist', ofOwner: true, isOpen: true } as const;
export const UPDATE_GIST = { action: 'updateGist', ofOwner: true } as const;

export const GistParams = Type.Object({ gist_id: Type.String() });

/** Notified by every commit that ends an account with gists. */
export const GIST_CHANNEL = 'gists';
const CACHE_MS = 5000;
const MAX_CACHED = 5000;

export async function openGistOwnerCache(engine: Engine): Promise<BoundedCache<string, RepositoryOwner>> {
  const owners = new BoundedCache<string, RepositoryOwner>({ max: MAX_CACHED });
  await engine.listen(GIST_CHANNEL, () => owners.clear());
  return owners;
}

/** The part of a call that access checks need. */
export type GistCall = Pick<Call, 'can' | 'now'> & { caller: Caller; params: unknown };

/** What a caller needs: to know the id, or to be the owner. */
export type GistRight = 'read' | 'own';

/** A route below a gist: the handler gets it, where the caller has the right. */
export function gistRoute<const S extends RouteShape>(
  shape: S,
  needed: GistRight,
  handle: (call: Call<S>, kernel: Kernel, found: FoundGist) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) =>
      await handle(call, kernel, await openGist(kernel, call as unknown as GistCall, needed)),
    async (call, kernel) => void (await openGist(kernel, call, needed)),
  );
}

/** A gist of somebody else that is to be changed is reported as missing. */
export async function openGist(kernel: Kernel, call: GistCall, needed: GistRight): Promise<FoundGist> {
  const { gist_id: id } = call.params as { gist_id: string };
  const found = await findGistWithOwner(kernel, id, call.now);
  if (found === undefined) throw gistNotFound();
  const isAllowed = call.can(gistResource(found));
  if (needed === 'read') return found;
  if (!ownsGist(call.caller, found.gist) && !administersHost(call.caller)) throw gistNotFound();
  if (!isAllowed) throw new Failure('denied', 'The permission to change this gist is missing.');
  return found;
}

/** The row is read anew by every call: another server may have changed the gist just now, and its notice arrives later. */
async function findGistWithOwner(
  { db, services: { gistOwners } }: Kernel,
  id: string,
  now: number,
): Promise<FoundGist | undefined> {
  const gist = await findGist(db, id);
  if (gist === undefined) return undefined;
  const { ownerId } = gist;
  const owner =
    gistOwners.get(ownerId, now) ??
    (await gistOwners.load(ownerId, async () => {
      const read = (await listOwners(db, [ownerId])).get(ownerId);
      return read && { value: read, until: now + CACHE_MS };
    }));
  return owner && { gist, owner };
}

export function ownsGist(caller: Caller, { ownerId }: Pick<Gist, 'ownerId'>): boolean {
  return caller.kind !== 'anonymous' && accountOf(caller).id === ownerId;
}

export interface NamedGist {
  gist: Pick<Gist, 'id'>;
  owner: Pick<RepositoryOwner, 'login'>;
}

export function gistResource({ gist, owner }: NamedGist): string {
  return `gist/${owner.login}/${gist.id}`;
}

export function gistNotFound(): Failure {
  return new Failure('not-found', 'There is no such gist');
}
