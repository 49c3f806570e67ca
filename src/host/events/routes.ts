// Feeds of events: of everybody, a repository, its network, an organization and a user; and the addresses of those that the caller may read.
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { route, reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery } from '../list-query.ts';
import {
  openOrganization,
  VIEW_AS_MEMBER,
  VIEW_ORGANIZATION,
  OrganizationParams,
} from '../organizations/access.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findOwner } from '../owners/store.ts';
import { READ_REPOSITORY, repositoryRoute, RepositoryParams } from '../repositories/access.ts';
import { userNotFound } from '../users/access.ts';
import { FeedItem } from './feed-model.ts';
import { showFeed } from './show-feed.ts';

const query = Type.Object(HostPageQuery);
const LIMITS =
  'The newest first: 300 at most, of the last 90 days. The header X-Poll-Interval says how often to ask.';
const ByUsername = Type.Object({ username: Type.String() });

const listPublic = route(
  {
    id: 'activity/list-public-events',
    method: 'GET',
    path: '/events',
    summary: 'List public events',
    description: LIMITS,
    access: 'anyone',
    query,
    list: FeedItem,
  },
  async (call, { db }) => await showFeed(call, db, { of: 'everybody' }, 'everybody'),
);

const listOfRepository = repositoryRoute(
  {
    id: 'activity/list-repo-events',
    method: 'GET',
    path: '/repos/{owner}/{repo}/events',
    summary: 'List events of a repository',
    description: `${LIMITS} What happened while it was private is shown to those who have a role on it.`,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query,
    list: FeedItem,
  },
  'read',
  async (call, { db }, { repository: { number } }) =>
    await showFeed(call, db, { of: 'repository', number }, 'caller'),
);

const listOfNetwork = repositoryRoute(
  {
    id: 'activity/list-public-events-for-repo-network',
    method: 'GET',
    path: '/networks/{owner}/{repo}/events',
    summary: 'List public events of a repository, its source and all forks',
    description: LIMITS,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query,
    list: FeedItem,
  },
  'read',
  async (call, { db }, { repository: { number, sourceNumber } }) =>
    await showFeed(call, db, { of: 'network', number: sourceNumber ?? number }, 'everybody'),
);

const listOfOrganization = route(
  {
    id: 'activity/list-public-org-events',
    method: 'GET',
    path: '/orgs/{org}/events',
    summary: 'List public events of an organization',
    description: LIMITS,
    access: VIEW_ORGANIZATION,
    params: Type.Object(OrganizationParams),
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'anyone');
    return await showFeed(call, db, { of: 'organization', id: organization.id }, 'everybody');
  },
);

const listOfUser = route(
  {
    id: 'activity/list-events-for-authenticated-user',
    method: 'GET',
    path: '/users/{username}/events',
    summary: 'List events by a user',
    description: `${LIMITS} The users themselves also see those of private repositories.`,
    access: 'anyone',
    params: ByUsername,
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { id, audience } = await findUserOf(db, call.caller, call.params.username);
    return await showFeed(call, db, { of: 'actor', id }, audience);
  },
);

const listPublicOfUser = route(
  {
    id: 'activity/list-public-events-for-user',
    method: 'GET',
    path: '/users/{username}/events/public',
    summary: 'List public events by a user',
    description: LIMITS,
    access: 'anyone',
    params: ByUsername,
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { id } = await findUserOf(db, call.caller, call.params.username);
    return await showFeed(call, db, { of: 'actor', id }, 'everybody');
  },
);

const listDashboard = route(
  {
    id: 'activity/list-org-events-for-authenticated-user',
    method: 'GET',
    path: '/users/{username}/events/orgs/{org}',
    summary: 'List the events of an organization that the caller sees',
    description: `${LIMITS} Only for the user whom it names, as a member of the organization.`,
    access: VIEW_AS_MEMBER,
    params: Type.Object({ username: Type.String(), org: Type.String() }),
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { username } = call.params;
    const { organization } = await openOrganization(db, call, 'insider');
    const { audience } = await findUserOf(db, call.caller, username);
    if (audience !== 'caller') throw userNotFound(username);
    return await showFeed(call, db, { of: 'organization', id: organization.id }, audience);
  },
);

const listReceived = route(
  {
    id: 'activity/list-received-events-for-user',
    method: 'GET',
    path: '/users/{username}/received_events',
    summary: 'List events in the repositories that a user watches',
    description: `${LIMITS} The users themselves also see those of private repositories.`,
    access: 'anyone',
    params: ByUsername,
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { id: accountId, audience } = await findUserOf(db, call.caller, call.params.username);
    return await showFeed(call, db, { of: 'watched', accountId }, audience);
  },
);

const listPublicReceived = route(
  {
    id: 'activity/list-received-public-events-for-user',
    method: 'GET',
    path: '/users/{username}/received_events/public',
    summary: 'List public events in the repositories that a user watches',
    description: LIMITS,
    access: 'anyone',
    params: ByUsername,
    query,
    list: FeedItem,
  },
  async (call, { db }) => {
    const { id: accountId } = await findUserOf(db, call.caller, call.params.username);
    return await showFeed(call, db, { of: 'watched', accountId }, 'everybody');
  },
);

/** Users see more of their own feeds than others do. */
async function findUserOf(
  db: Db,
  caller: Caller,
  username: string,
): Promise<RepositoryOwner & { audience: 'everybody' | 'caller' }> {
  const owner = await findOwner(db, username);
  if (owner === undefined) throw userNotFound(username);
  const isSelf = caller.kind !== 'anonymous' && accountOf(caller).id === owner.id;
  return { ...owner, audience: isSelf ? 'caller' : 'everybody' };
}

export const feedRoutes = [
  listPublic,
  listOfRepository,
  listOfNetwork,
  listOfOrganization,
  listOfUser,
  listPublicOfUser,
  listDashboard,
  listReceived,
  listPublicReceived,
];

const FeedLink = Type.Object({ href: Type.String(), type: Type.String() }, { $id: 'link-with-type' });

const FeedLinks = Type.Object(
  {
    timeline_url: Type.String(),
    user_url: Type.String(),
    current_user_public_url: Type.Optional(Type.String()),
    current_user_url: Type.Optional(Type.String()),
    current_user_actor_url: Type.Optional(Type.String()),
    current_user_organization_url: Type.Optional(Type.String()),
    _links: Type.Object({
      timeline: FeedLink,
      user: FeedLink,
      current_user_public: Type.Optional(FeedLink),
      current_user: Type.Optional(FeedLink),
      current_user_actor: Type.Optional(FeedLink),
      current_user_organization: Type.Optional(FeedLink),
    }),
  },
  { $id: 'feed' },
);

const getFeeds = route(
  {
    id: 'activity/get-feeds',
    method: 'GET',
    path: '/feeds',
    summary: 'List the feeds of events',
    description: 'All of them are JSON. Some addresses are templates, and those of the caller need a token.',
    access: 'anyone',
    reply: { 200: FeedLinks },
  },
  ({ caller, base }) => {
    const link = (path: string) => ({ href: base + path, type: 'application/json' });
    const links = { timeline: link('/events'), user: link('/users/{user}/events/public') };
    const urls = { timeline_url: links.timeline.href, user_url: links.user.href };
    if (caller.kind === 'anonymous') return reply(200, { ...urls, _links: links });
    const user = `/users/${encodeURIComponent(accountOf(caller).username)}`;
    const own = {
      current_user_public: link(`${user}/events/public`),
      current_user: link(`${user}/received_events`),
      current_user_actor: link(`${user}/events`),
      current_user_organization: link(`${user}/events/orgs/{org}`),
    };
    return reply(200, {
      ...urls,
      current_user_public_url: own.current_user_public.href,
      current_user_url: own.current_user.href,
      current_user_actor_url: own.current_user_actor.href,
      current_user_organization_url: own.current_user_organization.href,
      _links: { ...links, ...own },
    });
  },
);

export const feedLinksRoutes = [getFeeds];
