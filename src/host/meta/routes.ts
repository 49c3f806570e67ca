// What the host says about itself: versions, meta, zen.
import { randomInt } from 'node:crypto';
import { route, Text } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { supportedVersions } from '../../kernel/version-support.ts';
import { versions } from '../versions/index.ts';
import { PROVERBS } from './model.ts';

const getVersions = route(
  {
    id: 'meta/get-all-versions',
    method: 'GET',
    path: '/versions',
    summary: 'List the supported API versions, oldest first',
    access: 'anyone',
    reply: { 200: Type.Array(Type.String({ format: 'date' })) },
  },
  ({ now }) => supportedVersions(versions.names, now),
);

const getMeta = route(
  {
    id: 'meta/get',
    method: 'GET',
    path: '/meta',
    summary: 'Get facts about this server',
    access: 'anyone',
    reply: {
      200: Type.Object(
        { verifiable_password_authentication: Type.Boolean(), installed_version: Type.String() },
        { $id: 'api-overview' },
      ),
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
  () => new Text('text/plain; charset=utf-8', PROVERBS[randomInt(PROVERBS.length)]!),
);

export const metaRoutes = [getVersions, getMeta, getZen];
