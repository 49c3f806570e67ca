// What repositories of a list are written in, and which Actors of the caller are built from them.
import { READ_REPOSITORY } from '../../host/repositories/access.ts';
import { repositoryResource } from '../../host/repositories/repository.ts';
import { showRepositories } from '../../host/repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../../host/repositories/store.ts';
import { userResource } from '../../host/users/access.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { BuiltActor, listBuiltActors } from './built-actors.ts';

const MAX_IDS = 100;

const RepositorySummary = Type.Object(
  {
    id: Type.Integer({ description: 'Of the repository' }),
    languages: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() }), {
      description: 'Of the default branch, most bytes first',
    }),
    actors: Type.Array(BuiltActor, { description: 'Your Actors that are built from it' }),
  },
  { $id: 'RepositorySummary' },
);

const listRepositorySummaries = route(
  {
    id: 'listRepositorySummaries',
    method: 'GET',
    path: '/repositories/summaries',
    summary: 'List what repositories are written in, and what is built from them',
    description: 'Those that you may not see are left out.',
    access: { action: READ_REPOSITORY.action, others: ['viewActorVersion'] },
    query: Type.Object({
      ids: Type.String({
        pattern: `^\\d{1,15}(,\\d{1,15}){0,${MAX_IDS - 1}}$`,
        description: `Of repositories, up to ${MAX_IDS}, with commas between them`,
      }),
    }),
    list: RepositorySummary,
  },
  async (call, kernel) => {
    const { caller, query } = call;
    // A policy may name single repositories: each is asked about below.
    call.can(userResource(accountOf(caller)));
    const numbers = [...new Set(query.ids.split(',').map(Number))];
    const rows = await listRepositoriesByNumber(kernel.db, numbers);
    const shown = (await showRepositories(kernel.db, caller, [...rows.values()])).filter((one) =>
      call.can(repositoryResource(one)),
    );
    const actors = await listBuiltActors(kernel, call, shown);
    return cursorPage(
      shown.map(({ repository: { number: id, languages } }) => ({
        id,
        languages: Object.entries(languages)
          .map(([name, bytes]) => ({ name, bytes }))
          .toSorted((one, other) => other.bytes - one.bytes),
        actors: actors.get(id) ?? [],
      })),
    );
  },
);

export const repositorySummaryRoutes = [listRepositorySummaries];
