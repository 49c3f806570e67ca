// The API root, who is calling, the versions, and the description of the whole API.
import { route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { Links, linkTo } from '../links.ts';
import { CURRENT_VERSION, VALID_VERSIONS } from '../version.ts';
import { CallerIdentity, toCallerIdentity } from './model.ts';

const getRoot = route(
  {
    id: 'getRoot',
    method: 'GET',
    path: '/',
    summary: 'Get the links of the top-level resources',
    access: 'anyone',
    reply: { 200: Type.Object({ links: Links, _links: Links }) },
  },
  () => {
    const links = {
      self: linkTo(''),
      'caller-identity': linkTo('/caller-identity'),
      openapi: linkTo('/openapi.json'),
      auditlog: linkTo('/auditlog'),
      members: linkTo('/members'),
      projects: linkTo('/projects'),
      roles: linkTo('/roles'),
      tags: linkTo('/tags'),
      teams: linkTo('/teams'),
      tokens: linkTo('/tokens'),
      versions: linkTo('/versions'),
      webhooks: linkTo('/webhooks'),
    };
    return { links, _links: links };
  },
);

const getCallerIdentity = route(
  {
    id: 'getCallerIdentity',
    method: 'GET',
    path: '/caller-identity',
    summary: 'Get who is calling, and by what',
    access: 'caller',
    reply: { 200: CallerIdentity },
  },
  ({ caller }) => toCallerIdentity(caller),
);

const getVersions = route(
  {
    id: 'getVersions',
    method: 'GET',
    path: '/versions',
    summary: 'List the API versions',
    access: 'anyone',
    reply: {
      200: Type.Object(
        {
          validVersions: Type.Array(Type.Integer()),
          latestVersion: Type.Integer(),
          currentVersion: Type.Integer(),
          beta: Type.Boolean(),
          _links: Links,
        },
        { $id: 'VersionsRep' },
      ),
    },
  },
  ({ headers }) => ({
    validVersions: [...VALID_VERSIONS],
    latestVersion: CURRENT_VERSION,
    currentVersion: CURRENT_VERSION,
    beta: headers['ld-api-version'] === 'beta',
    _links: { self: linkTo('/versions'), parent: linkTo('') },
  }),
);

export const rootRoutes = [getRoot, getCallerIdentity, getVersions];
