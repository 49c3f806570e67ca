// Lists of repositories: the caller's, a user's, an organization's, and all public ones.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { organizationNameIn, OrganizationParams } from '../organizations/access.ts';
import { findOrganization } from '../organizations/store.ts';
import { findUser } from '../owners/store.ts';
import { parseTime } from '../times.ts';
import { MinimalRepository, NestedRepository, toMinimalRepository, toNestedRepository } from './model.ts';
import { showRepositories } from './show-repository.ts';
import {
  listAccountMemberships,
  listPublicRepositories,
  listRepositoriesFrom,
  type RepositoryFilter,
  type RepositorySort,
  type RepositorySource,
} from './store-lists.ts';
import { viewerFor } from './visibility.ts';
import { siteOf } from '../site.ts';

const SORTING = {
  sort: Type.Optional(OneOf(['created', 'updated', 'pushed', 'full_name'])),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
};

interface ListQuery {
  sort?: RepositorySort;
  direction?: 'asc' | 'desc';
  per_page?: number;
  page: number;
}

const listForCaller = route(
  {
    id: 'repos/list-for-authenticated-user',
    method: 'GET',
    path: '/user/repos',
    summary: "List the caller's repositories",
    description: 'Those of the caller, those they collaborate on, and those of their organizations.',
    access: 'caller',
    query: Type.Object({
      visibility: Type.Optional(OneOf(['all', 'public', 'private'])),
      affiliation: Type.Optional(
        Type.String({ description: 'Some of owner, collaborator and organization_member, joined by commas' }),
      ),
      type: Type.Optional(OneOf(['all', 'owner', 'public', 'private', 'member'])),
      ...SORTING,
      since: Type.Optional(Type.String({ format: 'date-time' })),
      before: Type.Optional(Type.String({ format: 'date-time' })),
      ...HostPageQuery,
    }),
    list: NestedRepository,
    isKept: true,
  },
  async (call, kernel) => {
    const { query, caller, base } = call;
    const { visibility, affiliation, type } = query;
    if (type !== undefined && (visibility !== undefined || affiliation !== undefined))
      throw new Failure('invalid', 'Send either `type`, or `visibility` and `affiliation`, not both.');
    const { id } = accountOf(caller);
    const affiliations: readonly Affiliation[] =
      type === undefined ? affiliationsOf(affiliation) : AFFILIATIONS_OF_TYPE[type];
    const sources: RepositorySource[] = [];
    if (affiliations.includes('owner')) sources.push({ ownerId: id, viewer: 'all' });
    if (affiliations.includes('collaborator')) sources.push({ collaboratorId: id });
    if (affiliations.includes('organization_member'))
      for (const { organizationId } of await listAccountMemberships(kernel.db, id))
        sources.push({ ownerId: organizationId, viewer: { accountId: id } });
    const visible = visibility ?? type;
    const filter: RepositoryFilter = {
      ...(visible === 'public' && { isPrivate: false }),
      ...(visible === 'private' && { isPrivate: true }),
      ...(query.since !== undefined && { updatedSince: parseTime('since', query.since) }),
      ...(query.before !== undefined && { updatedBefore: parseTime('before', query.before) }),
    };
    const page = await listPage(call, kernel, sources, filter, 'full_name');
    return page.map((shown) => toNestedRepository(shown, base));
  },
);

type Affiliation = 'owner' | 'collaborator' | 'organization_member';

const AFFILIATIONS: readonly Affiliation[] = ['owner', 'collaborator', 'organization_member'];

const AFFILIATIONS_OF_TYPE = {
  all: AFFILIATIONS,
  owner: ['owner'],
  public: AFFILIATIONS,
  private: AFFILIATIONS,
  member: ['collaborator', 'organization_member'],
} as const satisfies Record<string, readonly Affiliation[]>;

function affiliationsOf(text: string | undefined): readonly Affiliation[] {
  if (text === undefined || text === '') return AFFILIATIONS;
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !(AFFILIATIONS as readonly string[]).includes(word));
  if (unknown === undefined) return words as Affiliation[];
  throw new Failure('invalid', `"${unknown}" is no affiliation: use ${AFFILIATIONS.join(', ')}`, {
    fields: [{ field: 'query.affiliation', message: `must be some of ${AFFILIATIONS.join(', ')}` }],
  });
}

const listForUser = route(
  {
    id: 'repos/list-for-user',
    method: 'GET',
    path: '/users/{username}/repos',
    summary: "List a user's repositories",
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: Type.Object({
      type: Type.Optional(OneOf(['all', 'owner', 'member'])),
      ...SORTING,
      ...HostPageQuery,
    }),
    list: MinimalRepository,
    isKept: true,
  },
  async (call, kernel) => {
    const { params, query, caller, base } = call;
    const { db } = kernel;
    const user = await findUser(db, params.username);
    const organization = user ? undefined : await findOrganization(db, { login: params.username });
    const id = user?.id ?? organization?.id;
    if (id === undefined) throw new Failure('not-found', `There is no user ${params.username}`);
    const { type = 'owner' } = query;
    const sources: RepositorySource[] = [];
    if (type !== 'member') sources.push({ ownerId: id, viewer: viewerFor(caller) });
    // What others share with the user is shown where it is public.
    if (type !== 'owner' && user) sources.push({ collaboratorId: id });
    const page = await listPage(
      call,
      kernel,
      sources,
      type === 'owner' ? {} : { isPrivate: false },
      'full_name',
    );
    return page.map((shown) => toMinimalRepository(shown, base));
  },
);

const listForOrganization = route(
  {
    id: 'repos/list-for-org',
    method: 'GET',
    path: '/orgs/{org}/repos',
    summary: "List an organization's repositories",
    access: 'anyone',
    params: Type.Object(OrganizationParams),
    query: Type.Object({
      type: Type.Optional(OneOf(['all', 'public', 'private', 'forks', 'sources', 'member'])),
      ...SORTING,
      ...HostPageQuery,
    }),
    list: MinimalRepository,
    isKept: true,
  },
  async (call, kernel) => {
    const { params, query, caller, base } = call;
    const organization = await findOrganization(kernel.db, organizationNameIn(params));
    if (organization === undefined) throw new Failure('not-found', 'There is no such organization');
    const { id } = organization;
    const { type } = query;
    const filter: RepositoryFilter = {
      ...(type === 'public' && { isPrivate: false }),
      ...(type === 'private' && { isPrivate: true }),
      ...((type === 'forks' || type === 'sources') && { isFork: type === 'forks' }),
    };
    const source = { ownerId: id, viewer: viewerFor(caller) };
    const page = await listPage(call, kernel, [source], filter, 'created');
    return page.map((shown) => toMinimalRepository(shown, base));
  },
);

const listPublic = route(
  {
    id: 'repos/list-public',
    method: 'GET',
    path: '/repositories',
    summary: 'List all public repositories',
    access: 'anyone',
    query: Type.Object({ since: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })) }),
    reply: { 200: Type.Array(MinimalRepository) },
  },
  async ({ query: { since = 0 }, caller, base, url }, { db }) => {
    const repositories = await listPublicRepositories(db, since, PUBLIC_PAGE);
    const shown = await showRepositories(db, caller, repositories);
    const { pathname } = new URL(url, base);
    const last = repositories.at(-1);
    return reply(
      200,
      shown.map((one) => toMinimalRepository(one, base)),
      last && repositories.length === PUBLIC_PAGE
        ? { link: `<${siteOf(base)}${pathname}?since=${last.number}>; rel="next"` }
        : {},
    );
  },
);

const PUBLIC_PAGE = 100;

/** Names come in ascending order, times with the newest first, unless asked otherwise. */
async function listPage(
  { query, caller }: { query: ListQuery; caller: Caller },
  { db }: Kernel,
  sources: readonly RepositorySource[],
  filter: RepositoryFilter,
  defaultSort: RepositorySort,
) {
  const slice = pageSliceOf(query);
  const { sort = defaultSort, direction = sort === 'full_name' ? 'asc' : 'desc' } = query;
  const list = await listRepositoriesFrom(db, sources, filter, { sort, desc: direction === 'desc' }, slice);
  return pageOf(await showRepositories(db, caller, list.items), list, slice);
}

export const repositoryListRoutes = [listForCaller, listForUser, listForOrganization, listPublic];
