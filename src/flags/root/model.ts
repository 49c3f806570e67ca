// The representations of the caller, the account and the server's addresses.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { ACCOUNT_ID } from '../audit-log/model.ts';
import { Links, linkTo } from '../links.ts';

export const CallerIdentity = Type.Object(
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

export const AccountRep = Type.Object({ _id: Type.String(), _links: Links }, { $id: 'Account' });

export const IpList = Type.Object(
  {
    addresses: Type.Array(Type.String(), { description: 'Where this server is reached' }),
    outboundAddresses: Type.Array(Type.String(), {
      description: 'Where webhooks come from, as far as this server knows',
    }),
    _links: Links,
  },
  { $id: 'IpList' },
);

export function toCallerIdentity({ kind, member, token }: KnownCaller): Static<typeof CallerIdentity> {
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
