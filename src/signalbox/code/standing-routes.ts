// What a repository is to the caller: watched, starred, and the source of Actors of theirs.
import { READ_REPOSITORY, repositoryRoute } from '../../host/repositories/access.ts';
import { hasStar } from '../../host/stars/store.ts';
import { userResource } from '../../host/users/access.ts';
import { findWatch } from '../../host/watches/store.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { BuiltActor, listBuiltActors, MAX_GIT_VERSIONS } from './built-actors.ts';

const RepositoryStanding = Type.Object(
  {
    isWatched: Type.Optional(Type.Boolean({ description: 'Absent without `viewWatches`' })),
    isStarred: Type.Optional(Type.Boolean({ description: 'Absent without `viewStars`' })),
    actors: Type.Array(BuiltActor, {
      description: `Your Actors that are built from it, by its present name, those that ran last first. Of your versions from git, the first ${MAX_GIT_VERSIONS} are looked at.`,
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
      actors: (await listBuiltActors(kernel, call, [found])).get(number) ?? [],
    };
  },
);

export const standingRoutes = [getRepositoryStanding];
