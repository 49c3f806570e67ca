// The API root, the caller's identity, API versions, the account, and the server's addresses.
import { route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { ACCOUNT_ID } from '../audit-log/model.ts';
import { Links, linkTo } from '../links.ts';
import { CURRENT_VERSION, VALID_VERSIONS, versionOf } from '../version.ts';
import { outboundAddresses } from './addresses.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';

const CallerIdentity = Type.Object(
  {
    accountId: Type.String(),
    authKind: Type.String({ description: '`token` or `session`' }),
    memberId: Type.String(),
    tokenKind: Type.Optional(Type.String({ description: '`personal` or `service`' })),
    tokenId: Type.Optional(Type.String()),
    tokenName: Type.Optional(Type.String()),
    serviceToken: Type.Optional(Type.Boolean()),
    _links: Links,
  },
  { $id: 'CallerIdentityRep' },
);

const AccountRep = Type.Object({ _id: Type.String(), _links: Links }, { $id: 'Account' });

const IpList = Type.Object(
  {
    addresses: Type.Array(Type.String(), { description: 'Where this server is reached' }),
    outboundAddresses: Type.Array(Type.String(), {
      description: 'Where webhooks come from, as far as this server knows',
    }),
    _links: Links,
  },
  { $id: 'IpList' },
);

function toCallerIdentity({ kind, member, token }: KnownCaller): Static<typeof CallerIdentity> {
  return {
    accountId: ACCOUNT_ID,
    authKind: kind,
    memberId: member.id,
    ...(token !== undefined && {
      tokenKind: token.isService ? 'service' : 'personal',
      tokenId: token.id,
      tokenName: token.name,
      serviceToken: token.isService,
    }),
    _links: { self: linkTo('/caller-identity'), parent: linkTo('') },
  };
}

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
      account: linkTo('/account'),
      'caller-identity': linkTo('/caller-identity'),
      openapi: linkTo('/openapi.json'),
      'public-ip-list': linkTo('/public-ip-list'),
      auditlog: linkTo('/auditlog'),
      'code-refs': linkTo('/code-refs/repositories'),
      members: linkTo('/members'),
      projects: linkTo('/projects'),
      'relay-auto-configs': linkTo('/account/relay-auto-configs'),
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
  (call) => ({
    validVersions: [...VALID_VERSIONS],
    latestVersion: CURRENT_VERSION,
    currentVersion: versionOf(call),
    beta: call.headers['ld-api-version'] === 'beta',
    _links: { self: linkTo('/versions'), parent: linkTo('') },
  }),
);

const getAccount = route(
  {
    id: 'getAccount',
    method: 'GET',
    path: '/account',
    summary: 'Get the account; HEAD tells whether the token is good',
    access: 'caller',
    reply: { 200: AccountRep },
  },
  () => ({ _id: ACCOUNT_ID, _links: { self: linkTo('/account'), parent: linkTo('') } }),
);

const getIps = route(
  {
    id: 'getIps',
    method: 'GET',
    path: '/public-ip-list',
    summary: 'List the addresses of this server, and those that its webhooks come from',
    access: 'anyone',
    reply: { 200: IpList },
  },
  async (_call, kernel) => ({
    addresses: await kernel.services.serviceAddresses.find(kernel),
    outboundAddresses: outboundAddresses(kernel),
    _links: { self: linkTo('/public-ip-list'), parent: linkTo('') },
  }),
);

export const rootRoutes = [getRoot, getCallerIdentity, getVersions, getAccount, getIps];
