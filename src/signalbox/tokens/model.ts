// Access tokens with their use, as the Signalbox API shows them.
import { isTokenOwner, tokenResource } from '../../flags/tokens/model.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { Token, TokenPosition } from '../../kernel/identity/store-tokens.ts';
import type { Call } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';

const Time = Type.Integer({ description: 'In epoch milliseconds' });

export const TokenUse = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    ending: Type.String({ description: 'The last characters of its secret' }),
    isService: Type.Boolean(),
    member: Type.Optional(
      Type.Object(
        { id: Type.String(), username: Type.String(), email: Type.String() },
        { description: 'The owner, or who created a service token; absent where they were removed' },
      ),
    ),
    role: Type.Optional(Type.String({ description: 'A base role' })),
    customRoles: Type.Array(Type.String(), { description: 'Keys or ids of custom roles' }),
    inlinePolicy: Type.Boolean({ description: 'Whether it has statements of its own' }),
    scope: Type.String({ description: 'What it may do, in words: `reads`, `3 statements`' }),
    createdAt: Time,
    expiresAt: Type.Optional(Time),
    lastUse: Type.Optional(
      Type.Object({
        at: Time,
        address: Type.Optional(
          Type.String({ description: 'For its owner, and for those who may delete it' }),
        ),
        api: Type.Optional(Type.String()),
        operation: Type.Optional(Type.String({ description: 'The id of the operation that was called' })),
      }),
    ),
  },
  { $id: 'TokenUse' },
);

export const TokenUsage = Type.Object(
  {
    hours: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'When the hour began, in epoch milliseconds' }),
        api: Type.String(),
        category: Type.String({ description: 'Of the rate limits that the calls counted against' }),
        calls: Type.Integer(),
        refused: Type.Integer({ description: 'Of these calls, those over a rate limit' }),
      }),
    ),
  },
  { $id: 'TokenUsage' },
);

type TokenCall = Pick<Call, 'can'> & { caller: KnownCaller };

export function toTokenUse(
  call: TokenCall,
  token: Token,
  member: Member | undefined,
): Static<typeof TokenUse> {
  const { id, name, ending, isService, role, customRoles, inlinePolicy, createdAt, expiresAt } = token;
  const lastUse = toLastUse(call, token);
  return {
    id,
    name,
    ending,
    isService,
    ...(member !== undefined && {
      member: { id: member.id, username: member.username, email: member.email },
    }),
    ...(role !== undefined && { role }),
    customRoles,
    inlinePolicy: inlinePolicy !== undefined,
    scope: describeScope(call.caller, token),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUse !== undefined && { lastUse }),
  };
}

/** Everybody may view service tokens, but where their programs run is not for everybody. */
function toLastUse(call: TokenCall, token: Token): Static<typeof TokenUse>['lastUse'] {
  const { lastUsedAt: at, lastUse, memberId } = token;
  if (at === undefined) return undefined;
  const { address = '', api, operation } = lastUse ?? {};
  const seesAddress =
    address !== '' &&
    (isTokenOwner(call.caller, memberId) || call.can(tokenResource(token, call.caller), 'deleteAccessToken'));
  return {
    at,
    ...(seesAddress && { address }),
    ...(api !== undefined && { api }),
    ...(operation !== undefined && { operation }),
  };
}

/** By base role. */
const SCOPES = {
  owner: 'everything',
  admin: 'administrates',
  writer: 'writes',
  reader: 'reads',
  no_access: 'nothing',
};

/** A personal token with the role of an owner has all permissions of its member, whichever these are. */
function describeScope(
  caller: KnownCaller,
  { role, customRoles, inlinePolicy, isService, memberId }: Token,
): string {
  if (inlinePolicy !== undefined) return countOf(inlinePolicy.length, 'statement');
  if (role === undefined) return countOf(customRoles.length, 'custom role');
  if (role !== 'owner' || isService) return SCOPES[role];
  return isTokenOwner(caller, memberId) ? 'everything you may' : 'everything its owner may';
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function tokenCursor({ createdAt, id }: TokenPosition): string {
  return `${createdAt}.${id}`;
}

const CURSOR = /^(\d{1,15})\.([0-9a-f]{1,40})$/;

export function parseTokenCursor(cursor: string): TokenPosition {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined)
    throw problem('query.cursor', 'is not the `next` of a page');
  return { createdAt: Number(createdAt), id };
}
