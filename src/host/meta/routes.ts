// Facts about the server: versions, meta, zen.
import { randomInt } from 'node:crypto';
import { reply, route, Text } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { versionPath } from '../../kernel/versions/version-effects.ts';
import type { VersionTable } from '../../kernel/versions/version.ts';
import { siteOf } from '../site.ts';
import { drawPicture, PROVERBS, ServerMeta } from './model.ts';

/** The body lists the versions that may be used; announced ones are in a header, so that no client picks one too early. */
const versionsOf = ({ names, announced = [] }: VersionTable) =>
  route(
    {
      id: 'meta/get-all-versions',
      method: 'GET',
      path: '/versions',
      summary: 'List the supported API versions, oldest first',
      description:
        'Versions that are announced, and not released yet, stand in X-Host-Api-Versions-Announced, and Link names their pages.',
      access: 'anyone',
      reply: { 200: Type.Array(Type.String({ format: 'date' })) },
    },
    ({ base }) => reply(200, names, announced.length === 0 ? {} : announcements(announced, base)),
  );

function announcements(announced: readonly string[], base: string): Record<string, string> {
  const links = announced.map((version) => {
    return `<${siteOf(base)}${versionPath('host', version)}>; rel="successor-version"; type="text/html"; title="${version}"`;
  });
  return { 'x-host-api-versions-announced': announced.join(', '), link: links.join(', ') };
}

const getMeta = route(
  {
    id: 'meta/get',
    method: 'GET',
    path: '/meta',
    summary: 'Get facts about this server',
    access: 'anyone',
    reply: {
      200: ServerMeta,
    },
  },
  (_call, { release }) => ({ verifiable_password_authentication: false, installed_version: release }),
);

const getZen = route(
  {
    id: 'meta/get-zen',
    method: 'GET',
    path: '/zen',
    summary: 'Get a line to think about',
    access: 'anyone',
    reply: { 200: Type.String() },
    produces: 'text/plain',
    cache: 'never',
  },
  () => new Text('text/plain; charset=utf-8', proverb()),
);

const getPicture = route(
  {
    id: 'meta/get-octocat',
    method: 'GET',
    path: '/octocat',
    summary: 'Get a picture in letters, which says something',
    access: 'anyone',
    query: Type.Object({
      s: Type.Optional(Type.String({ maxLength: 200, description: 'What it says' })),
    }),
    reply: { 200: Type.String() },
    produces: 'application/octocat-stream',
    cache: 'never',
  },
  ({ query }) => new Text('application/octocat-stream; charset=utf-8', drawPicture(query.s ?? proverb())),
);

function proverb(): string {
  return PROVERBS[randomInt(PROVERBS.length)]!;
}

export function metaRoutes(versions: VersionTable) {
  return [versionsOf(versions), getMeta, getZen, getPicture];
}
