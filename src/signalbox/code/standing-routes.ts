// What a repository is to the caller: watched, starred, and the source of Actors of theirs.
import { actorResource } from '../../actors/actors/access.ts';
import { listGitVersions } from '../../actors/actors/store-versions.ts';
import { gitSourceOf } from '../../actors/builds/build-on-push.ts';
import { READ_REPOSITORY, repositoryRoute, type FoundRepository } from '../../host/repositories/access.ts';
import { hasStar } from '../../host/stars/store.ts';
import { userResource } from '../../host/users/access.ts';
import { findWatch } from '../../host/watches/store.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

/** Versions that are looked at: those of the Actors that ran last. */
const MAX_VERSIONS = 1000;

const BuiltActor = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    name: Type.String(),
    title: Type.Optional(Type.String()),
    versions: Type.Array(
      Type.Object({
        number: Type.String({ description: '`MAJOR.MINOR`' }),
        reference: Type.Optional(
          Type.String({ description: 'A branch, a tag or a commit; the default branch if absent' }),
        ),
        buildsOnPush: Type.Boolean({ description: 'Whether a push starts a build' }),
      }),
      { description: 'Those that are built from the repository' },
    ),
    lastRunAt: Type.Optional(Type.Integer({ description: 'Absent where it has never run' })),
  },
  { $id: 'BuiltActor' },
);

const RepositoryStanding = Type.Object(
  {
    isWatched: Type.Optional(Type.Boolean({ description: 'Absent without `viewWatches`' })),
    isStarred: Type.Optional(Type.Boolean({ description: 'Absent without `viewStars`' })),
    actors: Type.Array(BuiltActor, {
      description: `Your Actors that are built from it, by its present name, those that ran last first. Of your versions from git, the first ${MAX_VERSIONS} are looked at.`,
    }),
  },
  { $id: 'RepositoryStanding' },
);

const getRepositoryStanding = repositoryRoute(
  {
    id: 'getRepositoryStanding',
    method: 'GET',
    path: '/repositories/{owner}/{repo}/standing',
    summary: 'Get what a repository is to you',
    description: 'Whether you watch it and have given it a star, and which of your Actors are built from it.',
    access: {
      action: READ_REPOSITORY.action,
      others: ['viewActorVersion', 'viewStars', 'viewWatches'],
      ofOwner: true,
    },
    params: Type.Object({ owner: Type.String(), repo: Type.String() }),
    reply: { 200: RepositoryStanding },
  },
  'read',
  async (call, kernel, found) => {
    const account = accountOf(call.caller);
    const { number } = found.repository;
    const may = (action: string) => call.can(userResource(account), action);
    const watch = await findWatch(kernel.db, account.id, number);
    return {
      ...(may('viewWatches') && { isWatched: watch?.isIgnored === false }),
      ...(may('viewStars') && { isStarred: await hasStar(kernel.db, account.id, number) }),
      actors: (await listBuiltActors(kernel, account, found)).filter(({ id }) =>
        call.can(actorResource({ id }), 'viewActorVersion'),
      ),
    };
  },
);

async function listBuiltActors(
  { db, services }: Kernel,
  { id: accountId, username }: ReturnType<typeof accountOf>,
  { owner, repository }: FoundRepository,
): Promise<Static<typeof BuiltActor>[]> {
  const wanted = `${owner.login}/${repository.name}`.toLowerCase();
  const found = new Map<string, Static<typeof BuiltActor>>();
  for (const { actor, version } of await listGitVersions(db, accountId, MAX_VERSIONS)) {
    const source = gitSourceOf(version);
    const name = source && services.ownRepositories.nameIn(source.url);
    if (source === undefined || name?.toLowerCase() !== wanted) continue;
    const { id, title, lastRunStartedAt } = actor;
    const entry: Static<typeof BuiltActor> = found.get(id) ?? {
      id,
      username,
      name: actor.name,
      ...(title !== null && { title }),
      versions: [],
      ...(lastRunStartedAt > 0 && { lastRunAt: lastRunStartedAt }),
    };
    entry.versions.push({
      number: version.number,
      ...(source.reference !== undefined && { reference: source.reference }),
      buildsOnPush: version.buildsOnPush,
    });
    found.set(id, entry);
  }
  return [...found.values()];
}

export const standingRoutes = [getRepositoryStanding];
