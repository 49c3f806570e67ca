// The authors of a repository's commits, those of most commits first.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { listContributors, type Contributor } from '../git/history/history.ts';
import type { GitRepository } from '../git/repository.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { listAuthors } from '../owners/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY, repositoryRoute, RepositoryParams } from '../repositories/access.ts';

/** Those of fewer commits are left out. */
const MAX_CONTRIBUTORS = 2000;
const MAX_CACHED = 50_000;

type CountedHistory = Promise<Contributor[]>;

declare module '../../kernel/kernel.ts' {
  interface Services {
    /**
     * By the id of the newest commit: it determines the whole history, so nothing is ever stale. Promises, so that concurrent
     * calls count once.
     */
    contributors: BoundedCache<string, CountedHistory>;
  }
}

export function openContributors(): Kernel['services']['contributors'] {
  return new BoundedCache({ max: MAX_CACHED, weigh: () => MAX_CONTRIBUTORS });
}

const ContributorReply = Type.Object(
  {
    ...Type.Partial(SimpleUser).properties,
    type: Type.String({ description: '`Anonymous` for authors who are no users of this server' }),
    name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    contributions: Type.Integer(),
  },
  { $id: 'contributor' },
);

const listRepositoryContributors = repositoryRoute(
  {
    id: 'repos/list-contributors',
    method: 'GET',
    path: '/repos/{owner}/{repo}/contributors',
    summary: 'List contributors',
    description: 'By the number of their commits on the default branch.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      anon: Type.Optional(
        Type.String({ description: '`1` or `true`: also authors who are no users of this server' }),
      ),
      ...HostPageQuery,
    }),
    list: ContributorReply,
  },
  'read',
  async ({ query, base, signal }, { db, services }, { repository }) => {
    const git = services.git.repository(repository.number, signal);
    const tip = await git.readRef(`refs/heads/${repository.defaultBranch}`);
    if (tip === undefined) return reply(204);
    const contributors = await countContributors(services, git, tip);
    const emails = contributors.map(({ email }) => email);
    const groups = groupByAuthor(contributors, await listAuthors(db, emails));
    const isWithAnonymous = query.anon === '1' || query.anon === 'true';
    const all = groups.filter(({ author }) => isWithAnonymous || author !== undefined);
    const slice = pageSliceOf(query);
    const items = all.slice(slice.offset, slice.offset + slice.limit);
    const shown = items.map((one) => toContributor(one, base));
    return new Page(shown, all.length, slice);
  },
);

/** Without the signal of the call: others may wait for the count, and it has a time limit of its own. */
export async function countContributors(
  { git, contributors }: Pick<Kernel['services'], 'git' | 'contributors'>,
  { number }: GitRepository,
  tip: string,
): CountedHistory {
  const known = contributors.get(tip);
  if (known !== undefined) return await known;
  const counting = listContributors(git.repository(number), tip, { limit: MAX_CONTRIBUTORS });
  contributors.set(tip, counting);
  try {
    return await counting;
  } catch (error) {
    contributors.delete(tip);
    throw error;
  }
}

interface CountedAuthor extends Contributor {
  author?: RepositoryOwner;
}

/** A user may have several addresses, and an address several names. */
function groupByAuthor(
  contributors: readonly Contributor[],
  authors: ReadonlyMap<string, RepositoryOwner>,
): CountedAuthor[] {
  const groups = new Map<number | string, CountedAuthor>();
  for (const one of contributors) {
    const author = authors.get(one.email);
    const key = author?.number ?? one.email;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { ...one, ...(author && { author }) });
    else known.commits += one.commits;
  }
  return [...groups.values()].toSorted((a, b) => b.commits - a.commits);
}

function toContributor(
  { author, name, email, commits }: CountedAuthor,
  base: string,
): Static<typeof ContributorReply> {
  if (author !== undefined) return { ...toSimpleUser(author, base), contributions: commits };
  return { email, name, type: 'Anonymous', contributions: commits };
}

export const contributorRoutes = [listRepositoryContributors];
