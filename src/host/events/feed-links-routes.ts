// The addresses of all feeds of events that the caller may read.
import { accountOf } from '../../kernel/identity/caller.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';

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
