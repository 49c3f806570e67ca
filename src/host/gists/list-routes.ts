// Lists of gists: the caller's, those of everybody, of a user, those that the caller has starred, and forks.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { findOwner } from '../owners/store.ts';
import { userResource, userNotFound } from '../users/access.ts';
import { parseTime } from '../times.ts';
import { GistParams, gistRoute, READ_GIST } from './access.ts';
import type { Gist } from './gist.ts';
import { BaseGist, GistSimple } from './model.ts';
import { showBaseGists, showForksOfGist, viewerIdOf, type GistViewer } from './show-gist.ts';
import { listForksOfGist, listGistsOf, listPublicGists, listStarredGists } from './store-lists.ts';

const GistsQuery = Type.Object({
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only gists that were changed at this time or later' }),
  ),
  ...HostPageQuery,
});

/** Of each list no more is shown, so that no page is expensive. */
const MAX_LISTED = 3000;

const listOwn = route(
  {
    id: 'gists/list',
    method: 'GET',
    path: '/gists',
    summary: "List the caller's gists",
    description: `The last changed first, at most ${MAX_LISTED} of them. Callers without a credential get the public gists of everybody.`,
    access: READ_GIST,
    query: GistsQuery,
    list: BaseGist,
  },
  async (call, kernel) => {
    const { caller, query } = call;
    if (caller.kind === 'anonymous') {
      call.can('gist');
      return await listEverybodys(kernel, call, query);
    }
    const account = accountOf(caller);
    call.requirePermission(userResource(account));
    const listing = listingOf(query);
    const found = await listGistsOf(kernel.db, account.id, { isPublicOnly: false }, listing);
    return await pageOfGists(kernel, call, found, listing);
  },
);

const listPublic = route(
  {
    id: 'gists/list-public',
    method: 'GET',
    path: '/gists/public',
    summary: 'List public gists',
    description: `The last changed first, at most ${MAX_LISTED} of them.`,
    access: 'anyone',
    query: GistsQuery,
    list: BaseGist,
  },
  (call, kernel) => listEverybodys(kernel, call, call.query),
);

async function listEverybodys(kernel: Kernel, viewer: GistViewer, query: SentListing) {
  const listing = listingOf(query);
  return await pageOfGists(kernel, viewer, await listPublicGists(kernel.db, listing), listing);
}

const listStarred = route(
  {
    id: 'gists/list-starred',
    method: 'GET',
    path: '/gists/starred',
    summary: 'List the gists that the caller has starred',
    description: `The newest star first. Only the newest ${MAX_LISTED} stars are looked at.`,
    access: { action: 'viewStars' },
    query: GistsQuery,
    list: BaseGist,
  },
  async (call, kernel) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const listing = listingOf(call.query);
    return await pageOfGists(
      kernel,
      call,
      await listStarredGists(kernel.db, account.id, MAX_LISTED, listing),
      listing,
    );
  },
);

const listForUser = route(
  {
    id: 'gists/list-for-user',
    method: 'GET',
    path: '/users/{username}/gists',
    summary: 'List the public gists of a user',
    description: `The last changed first, at most ${MAX_LISTED} of them.`,
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: GistsQuery,
    list: BaseGist,
  },
  async (call, kernel) => {
    const owner = await findOwner(kernel.db, call.params.username);
    if (owner === undefined) throw userNotFound(call.params.username);
    const listing = listingOf(call.query);
    const found = await listGistsOf(kernel.db, owner.id, { isPublicOnly: true }, listing);
    return await pageOfGists(kernel, call, found, listing);
  },
);

const listForks = gistRoute(
  {
    id: 'gists/list-forks',
    method: 'GET',
    path: '/gists/{gist_id}/forks',
    summary: 'List the forks of a gist',
    description: `The newest first, at most ${MAX_LISTED} of them. Of secret forks, the caller sees their own.`,
    access: READ_GIST,
    params: GistParams,
    query: Type.Object(HostPageQuery),
    list: GistSimple,
  },
  'read',
  async (call, kernel, found) => {
    const slice = sliceOfListed(call.query);
    const forks = await listForksOfGist(kernel.db, found.gist, viewerIdOf(call.caller), slice);
    const page = pageOfListed(forks, slice);
    return pageWith(page, await showForksOfGist(kernel, call, found, page.items));
  },
);

interface SentListing {
  since?: string;
  page: number;
  per_page?: number;
}

function sliceOfListed(query: SentListing): Slice {
  const slice = pageSliceOf(query);
  if (slice.offset + slice.limit <= MAX_LISTED) return slice;
  throw new Failure('invalid', `Only the first ${MAX_LISTED} gists are listed.`, {
    fields: [{ field: 'page', message: `must not lead beyond the first ${MAX_LISTED} gists` }],
  });
}

function listingOf(query: SentListing) {
  const { since } = query;
  return { ...sliceOfListed(query), since: since === undefined ? undefined : parseTime('since', since) };
}

/** The last page that may be asked for leads to no other. */
function pageOfListed<Item>(found: readonly Item[], slice: Slice): Page<Item> {
  const isLast = slice.offset + 2 * slice.limit > MAX_LISTED;
  return pageBefore(isLast ? found.slice(0, slice.limit) : found, slice);
}

async function pageOfGists(kernel: Kernel, viewer: GistViewer, found: readonly Gist[], slice: Slice) {
  const page = pageOfListed(found, { offset: slice.offset, limit: slice.limit });
  return pageWith(page, await showBaseGists(kernel, viewer, page.items));
}

/** May have fewer items than the page, where owners are gone. */
function pageWith<Item>({ total, slice, desc, more }: Page, items: Item[]): Page<Item> {
  return new Page(items, total, slice, desc, more);
}

export const gistListRoutes = [listOwn, listPublic, listStarred, listForUser, listForks];
