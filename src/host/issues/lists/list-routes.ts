// Lists of issues: those of a repository, of an organization, and of all repositories that the caller sees.
import { accountOf, type KnownCaller } from '../../../kernel/identity/caller.ts';
import { Failure } from '../../../kernel/failure.ts';
import { route } from '../../../kernel/http/route.ts';
import type { Page } from '../../../kernel/http/reply/page.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { OneOf, PlainText, Type, type Static } from '../../../kernel/schema/schema.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { foldCase } from '../../../kernel/text/fold-case.ts';
import { BODY_FORMATS } from '../../contents/render-bodies.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../../list-query.ts';
import { organizationNameIn, OrganizationParams } from '../../organizations/access.ts';
import { findOrganization } from '../../organizations/store.ts';
import { READ_REPOSITORY, RepositoryParams } from '../../repositories/access.ts';
import { toNestedRepository } from '../../repositories/model.ts';
import { listAccountMemberships } from '../../repositories/store-lists.ts';
import { showRepositories } from '../../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../../repositories/store.ts';
import { viewerFor } from '../../repositories/visibility.ts';
import { parseTime } from '../../times.ts';
import { planningRoute, requireIssues } from '../access.ts';
import { readRepositoryFacets } from './filter-facets.ts';
import {
  assignedTo,
  authoredBy,
  inRepository,
  mentioning,
  ownedBy,
  PULLS,
  pullsIn,
  subscribedBy,
} from './facets.ts';
import { ISSUE_STATES } from '../issue.ts';
import { IssueReply } from '../model.ts';
import { replyIssues } from '../reply-issues.ts';
import { listIssueIds, type IssueFilter, type IssueIds, type IssueSource } from './store-facets.ts';
import { listCollaborations } from '../people/store-people.ts';
import { listIssuesById } from '../store.ts';

const SORTING = {
  state: Type.Optional(OneOf([...ISSUE_STATES, 'all'], { default: 'open' })),
  labels: Type.Optional(Type.String({ description: 'Names, joined by commas: issues with all of them' })),
  sort: Type.Optional(OneOf(['created', 'updated', 'comments'], { default: 'created' })),
  direction: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Those that were changed then or later' }),
  ),
};

const TYPE = {
  type: Type.Optional(
    Type.String({ description: 'Issues have no types here: `none` are all, and any other none' }),
  ),
};

const ONE_KIND = {
  pulls: Type.Optional(Type.Boolean({ description: 'Pull requests alone, or none' })),
};

const PULLS_TOO = 'Pull requests are issues too, with the member `pull_request`.';

const CommonQuery = Type.Object({ ...SORTING, ...TYPE, ...HostPageQuery });
type ListQuery = Static<typeof CommonQuery>;

const listForRepository = planningRoute(
  {
    id: 'issues/list-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues',
    summary: 'List the issues of a repository',
    description: `The newest first, and those that are open, unless the query says otherwise. ${PULLS_TOO} ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      milestone: Type.Optional(
        Type.String({ description: 'The number of one, `*` for any, `none` for issues without' }),
      ),
      assignee: Type.Optional(
        PlainText({ description: 'The login of one, `*` for any, `none` for issues without' }),
      ),
      creator: Type.Optional(PlainText({ description: 'The login of the author' })),
      mentioned: Type.Optional(PlainText({ description: 'The login of somebody whom the issue mentions' })),
      ...ONE_KIND,
      ...SORTING,
      ...TYPE,
      ...HostPageQuery,
    }),
    list: IssueReply,
    isKept: true,
  },
  'read',
  async (call, kernel, opened) => {
    const { query } = call;
    const { number } = opened.repository;
    // Where issues are switched off, pull requests go on.
    if (query.pulls !== true) requireIssues(opened);
    const narrower = await readRepositoryFacets(kernel.db, number, {
      ...query,
      labelNames: labelsIn(query),
    });
    if (narrower === undefined) return emptyPage(query);
    if (query.pulls === true) narrower.push(pullsIn(number));
    const listed = await listPage(kernel.db, query, {
      facets: narrower.length === 0 ? [inRepository(number)] : narrower,
      ...(query.pulls === false && { without: [pullsIn(number)] }),
    });
    const issues = await readIssues(kernel.db, listed);
    return pageOf(await replyIssues(kernel, call, [opened], issues), listed, pageSliceOf(query));
  },
);

const WHICH = {
  filter: Type.Optional(
    OneOf(['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'], {
      default: 'assigned',
      description:
        'Those that the caller is assigned to, has created, is mentioned in, or subscribes to; with `all` and `repos`, all',
    }),
  ),
};
type WhichIssues = 'assigned' | 'created' | 'mentioned' | 'subscribed' | 'repos' | 'all';

const list = route(
  {
    id: 'issues/list',
    method: 'GET',
    path: '/issues',
    summary: 'List issues of all repositories that the caller sees',
    description: `With \`all\` and \`repos\`, of those that the caller owns or collaborates on, and of their organizations. ${PULLS_TOO} ${BODY_FORMATS}`,
    access: 'caller',
    query: Type.Object({
      ...WHICH,
      ...SORTING,
      collab: Type.Optional(
        Type.Boolean({ description: 'Those of repositories that the caller collaborates on' }),
      ),
      orgs: Type.Optional(Type.Boolean({ description: "Those of the caller's organizations" })),
      owned: Type.Optional(Type.Boolean({ description: "Those of the caller's own repositories" })),
      ...ONE_KIND,
      ...HostPageQuery,
    }),
    list: IssueReply,
  },
  async (call, kernel) => {
    const { collab, orgs, owned, pulls } = call.query;
    const chosen = { collab: collab === true, orgs: orgs === true, owned: owned === true };
    const isNarrowed = Object.values(chosen).includes(true);
    const isPull = pulls === undefined ? {} : pulls ? { facets: [PULLS] } : { without: [PULLS] };
    return await listAcross(call, kernel, isNarrowed ? chosen : 'everywhere', isPull);
  },
);

const listForCaller = route(
  {
    id: 'issues/list-for-authenticated-user',
    method: 'GET',
    path: '/user/issues',
    summary: 'List issues of repositories that the caller owns or collaborates on',
    description: `${PULLS_TOO} ${BODY_FORMATS}`,
    access: 'caller',
    query: Type.Object({ ...WHICH, ...SORTING, ...HostPageQuery }),
    list: IssueReply,
  },
  async (call, kernel) => await listAcross(call, kernel, { owned: true, collab: true, orgs: false }),
);

const listForOrganization = route(
  {
    id: 'issues/list-for-org',
    method: 'GET',
    path: '/orgs/{org}/issues',
    summary: 'List issues of an organization',
    description: `Of the repositories that the caller sees. ${PULLS_TOO} ${BODY_FORMATS}`,
    access: 'caller',
    params: Type.Object(OrganizationParams),
    query: Type.Object({ ...WHICH, ...SORTING, ...TYPE, ...HostPageQuery }),
    list: IssueReply,
  },
  async (call, kernel) => {
    const organization = await findOrganization(kernel.db, organizationNameIn(call.params));
    if (organization === undefined) throw new Failure('not-found', 'There is no such organization');
    return await listAcross(call, kernel, { ownerIds: [organization.id] });
  },
);

interface CrossCall {
  caller: KnownCaller;
  query: ListQuery & { filter?: WhichIssues };
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** The repositories of a list: all that the caller sees, some by what the caller is to them, or those of some owners. */
type ListedRepositories =
  | 'everywhere'
  | { owned: boolean; orgs: boolean; collab: boolean }
  | { ownerIds: readonly string[] };

async function listAcross(
  call: CrossCall,
  kernel: Kernel,
  listed: ListedRepositories,
  pulls: Pick<IssueFilter, 'without'> & { facets?: readonly string[] } = {},
): Promise<Page<Static<typeof IssueReply>>> {
  const { caller, query } = call;
  const { db } = kernel;
  const account = accountOf(caller).id;
  const { filter = 'assigned' } = query;
  if (query.type !== undefined && query.type !== 'none') return emptyPage(query);
  const places = await readPlaces(db, account, listed, filter === 'all' || filter === 'repos');
  const ids = await listPage(db, query, {
    ...pulls,
    facets: [...facetsFor(filter, account), ...(pulls.facets ?? [])],
    ...places,
    viewer: viewerFor(caller),
    foldedLabels: labelsIn(query).map(foldCase),
  });
  return await showAcross(call, kernel, ids);
}

function facetsFor(filter: WhichIssues, account: string): string[] {
  if (filter === 'assigned') return [assignedTo(account)];
  if (filter === 'created') return [authoredBy(account)];
  if (filter === 'mentioned') return [mentioning(account)];
  return filter === 'subscribed' ? [subscribedBy(account)] : [];
}

/** `isAll`: nothing but the repositories narrows the list, so it begins with their facets. */
async function readPlaces(
  db: Db,
  account: string,
  listed: ListedRepositories,
  isAll: boolean,
): Promise<Pick<IssueFilter, 'sources' | 'repositories'>> {
  if (listed === 'everywhere' && !isAll) return {};
  const { ownerIds, isCollaborating } = await readOwners(db, account, listed);
  if (!isAll) return { repositories: { ownerIds, ...(isCollaborating && { collaboratorId: account }) } };
  const numbers = isCollaborating ? await listCollaborations(db, account, ownerIds) : [];
  return {
    sources: [
      ...ownerIds.map((ownerId): IssueSource => ({ facet: ownedBy(ownerId), ownerId })),
      ...numbers.map((number): IssueSource => ({ facet: inRepository(number) })),
    ],
  };
}

async function readOwners(
  db: Db,
  account: string,
  listed: ListedRepositories,
): Promise<{ ownerIds: readonly string[]; isCollaborating: boolean }> {
  if (typeof listed === 'object' && 'ownerIds' in listed)
    return { ownerIds: listed.ownerIds, isCollaborating: false };
  const { owned, orgs, collab } =
    listed === 'everywhere' ? { owned: true, orgs: true, collab: true } : listed;
  const memberships = orgs ? await listAccountMemberships(db, account) : [];
  const organizations = memberships.map(({ organizationId }) => organizationId);
  return { ownerIds: [...(owned ? [account] : []), ...organizations], isCollaborating: collab };
}

/** Without what the token may not view, and without issues of repositories that have switched them off. */
async function showAcross(
  call: CrossCall,
  kernel: Kernel,
  listed: IssueIds,
): Promise<Page<Static<typeof IssueReply>>> {
  const { caller, base, query } = call;
  const { db } = kernel;
  const issues = await readIssues(db, listed);
  const numbers = [...new Set(issues.map(({ repositoryNumber }) => repositoryNumber))];
  const repositories = await listRepositoriesByNumber(db, numbers);
  const shown = await showRepositories(db, caller, [...repositories.values()]);
  const byNumber = new Map(shown.map((one) => [one.repository.number, one]));
  const visible = issues.filter(({ repositoryNumber, isPull }) => {
    const settings = byNumber.get(repositoryNumber)?.repository.settings;
    return settings !== undefined && (isPull || settings.hasIssues);
  });
  const replies = await replyIssues(kernel, call, shown, visible);
  const items = replies.map((one, index) => ({
    ...one,
    repository: toNestedRepository(byNumber.get(visible[index]!.repositoryNumber)!, base),
  }));
  return pageOf(items, listed, pageSliceOf(query));
}

async function listPage(
  db: Db,
  query: ListQuery,
  filter: Omit<IssueFilter, 'states' | 'updatedSince'>,
): Promise<IssueIds> {
  const { state = 'open', sort = 'created', direction = 'desc', since } = query;
  return await listIssueIds(
    db,
    {
      ...filter,
      states: state === 'all' ? ISSUE_STATES : [state],
      ...(since !== undefined && { updatedSince: parseTime('since', since) }),
    },
    { sort, desc: direction === 'desc' },
    pageSliceOf(query),
  );
}

/** In their order; without those that are deleted meanwhile. */
async function readIssues(db: Db, { ids }: IssueIds) {
  const issues = await listIssuesById(db, ids);
  return ids.flatMap((id) => issues.get(id) ?? []);
}

function labelsIn({ labels = '' }: ListQuery): string[] {
  return labels
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function emptyPage(query: ListQuery): Page<Static<typeof IssueReply>> {
  return pageOf([], { total: 0, isTotalExact: true }, pageSliceOf(query));
}

export const issueListRoutes = [listForRepository, list, listForCaller, listForOrganization];
