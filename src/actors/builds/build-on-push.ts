// Builds that pushes start: the push writes due work in its own transaction, and each push is built at most once.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { finish, schedule, type Due } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actorResource } from '../actors/access.ts';
import { findActorById } from '../actors/store.ts';
import { findVersion, listVersionsBuiltOnPush } from '../actors/store-versions.ts';
import { sourceOf, type ActorVersion } from '../actors/version.ts';
import { parseGitUrl, type GitSource, type OwnRepository } from '../sources/fetch-git.ts';
import { startBuild } from './change-build.ts';

const BUILD_ON_PUSH = 'actors.build-on-push';

/** What a push to a repository of this server has changed. */
interface PushedBranches {
  /** `owner/name` in lower case: today's, and former ones that lead to it. */
  names: readonly string[];
  /** Without those that were deleted. */
  branches: readonly string[];
  defaultBranch: string;
}

/** In the transaction that records the push. Of several pushes in a row, the last is built where none was begun. */
export async function schedulePushBuilds(
  { ownRepositories }: Pick<Kernel['services'], 'ownRepositories'>,
  tx: Db,
  pushed: PushedBranches,
  now: number,
): Promise<void> {
  for (const version of await listVersionsBuiltOnPush(tx, pushed.names)) {
    const source = gitSourceOf(version);
    if (source === undefined || ownRepositories.nameIn(source.url) === undefined) continue;
    if (!pushed.branches.includes(branchOf(source, pushed))) continue;
    const { actorId, number } = version;
    const id = `${BUILD_ON_PUSH}:${actorId}:${number}`;
    const payload = JSON.stringify({ actorId, number });
    await schedule(tx, { id, kind: BUILD_ON_PUSH, payload, dueAt: now }, now, 'move');
  }
}

export function pushBuildWork(kernel: Kernel): BackgroundWork {
  return { handlers: { [BUILD_ON_PUSH]: (due) => buildPushed(kernel, due) } };
}

/**
 * Nothing is built where the Actor no longer asks for it, or its owner or the token that saved the version may not read the
 * repository or build the Actor.
 */
async function buildPushed(kernel: Kernel, due: Due): Promise<void> {
  const { db, clock, identity, log } = kernel;
  const { actorId, number } = JSON.parse(due.payload) as { actorId: string; number: string };
  const actor = await findActorById(db, actorId);
  const version = await findVersion(db, actorId, number);
  const source = version?.buildsOnPush === true ? gitSourceOf(version) : undefined;
  if (actor === undefined || version === undefined || source === undefined) return;
  const { boundary } = version;
  const now = clock.now();
  const caller = await identity.callerOfAccount(db, actor.userId, now, boundary);
  if (caller === undefined || !can(caller, 'buildActor', actorResource(actor))) return;
  if (!(await mayRead(kernel, { accountId: actor.userId, boundary }, source))) return;
  const meta = { origin: 'WEBHOOK', initiator: await identity.initiatorOf(caller, now) } as const;
  // With the build the work is done: a crash can neither lose it nor do it twice.
  const alongside = async (tx: Db) => {
    if (!(await finish(tx, due))) throw new Error('Another push has come.');
  };
  try {
    await startBuild(kernel, { actor, versionNumber: number, meta, caller, alongside }, now);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
    log.warn({ err: error, actor: actorId, version: number }, 'A push could not start a build');
  }
}

async function mayRead(
  { services }: Kernel,
  reader: Pick<OwnRepository, 'accountId' | 'boundary'>,
  { url, ...source }: GitSource,
): Promise<boolean> {
  const name = services.ownRepositories.nameIn(url);
  return name !== undefined && (await services.ownRepositories.mayRead({ ...source, name, ...reader }));
}

function branchOf({ reference }: GitSource, { defaultBranch }: PushedBranches): string {
  return reference === undefined ? defaultBranch : reference.replace(/^refs\/heads\//, '');
}

/** Undefined for other sources, and for a URL that a build would refuse. */
export function gitSourceOf(version: ActorVersion): GitSource | undefined {
  const source = sourceOf(version);
  if (!('gitRepoUrl' in source)) return undefined;
  try {
    return parseGitUrl(source.gitRepoUrl);
  } catch {
    return undefined;
  }
}
