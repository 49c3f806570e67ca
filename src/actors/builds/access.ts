// Finds a build, by its id, a tag or its number, and checks that the caller may see or change it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findActorById } from '../actors/store.ts';
import type { Actor } from '../actors/model.ts';
import { findTaggedBuild } from '../actors/store-tags.ts';
import { buildNotFound, type Build, unknownBuild } from './model.ts';
import { findBuild, findBuildByNumber } from './store.ts';

export type BuildAction = 'viewBuild' | 'updateBuild' | 'deleteBuild';

export type BuildCall = Pick<Call, 'can'> & { caller: KnownCaller };

function buildResource({ id }: Pick<Build, 'id'>): string {
  return `actor-build/${id}`;
}

/** Builds of other accounts are reported as missing, unless the Actor is public and they are only looked at. */
export async function openBuild(
  kernel: Pick<Kernel, 'db'>,
  call: BuildCall,
  id: string,
  action: BuildAction,
): Promise<Build> {
  const build = id.includes('\0') ? undefined : await findBuild(kernel.db, id);
  return await checkBuildAccess(kernel, call, build, action);
}

/** The same for a build that is known already. */
async function checkBuildAccess(
  { db }: Pick<Kernel, 'db'>,
  call: BuildCall,
  build: Build | undefined,
  action: BuildAction,
): Promise<Build> {
  const isAllowed = call.can(build === undefined ? 'actor-build/*' : buildResource(build), action);
  if (build === undefined) throw buildNotFound();
  if (isBuildOwner(call.caller, build)) {
    if (isAllowed) return build;
    // A program with limited permissions learns nothing about other builds.
    if (call.caller.program !== undefined) throw buildNotFound();
    throw buildDenied(action);
  }
  if (action !== 'viewBuild') throw buildNotFound();
  const actor = await findActorById(db, build.actorId);
  if (actor?.isPublic !== true) throw buildNotFound();
  return build;
}

export function isBuildOwner(caller: KnownCaller, { userId }: Pick<Build, 'userId'>): boolean {
  return accountOf(caller).id === userId;
}

export function buildDenied(action: string): Failure {
  return new Failure('denied', `Insufficient permissions for the Actor build: ${action} is needed.`);
}

/** A tag wins over a number. Only a build that has succeeded can be run. */
export async function resolveBuild(db: Db, actor: Pick<Actor, 'id'>, tagOrNumber: string): Promise<Build> {
  const build = await findNamedBuild(db, actor, tagOrNumber);
  if (build?.status === 'SUCCEEDED') return build;
  throw unknownBuild(tagOrNumber);
}

/** The same for any status. */
export async function findNamedBuild(
  db: Db,
  { id }: Pick<Actor, 'id'>,
  tagOrNumber: string,
): Promise<Build | undefined> {
  if (tagOrNumber.includes('\0')) return undefined;
  const tagged = await findTaggedBuild(db, id, tagOrNumber);
  return tagged === undefined ? await findBuildByNumber(db, id, tagOrNumber) : await findBuild(db, tagged);
}
