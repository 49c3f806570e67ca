// Access tokens as the flag service shows them, and the rules of what may be changed.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/members.ts';
import { parseStatements, type BaseRole, type Statement } from '../../kernel/identity/policy.ts';
import type { NewToken, Power, Token } from '../../kernel/identity/tokens.ts';
import { Failure } from '../../kernel/failure.ts';
import { applyJsonPatch } from '../../kernel/patch/json-patch.ts';
import { areEqual, isObject } from '../../kernel/patch/json-value.ts';
import { isUnderscored } from '../../kernel/patch/pointer.ts';
import { checker, invalid, OneOf, PlainText, Type, type Static } from '../../kernel/schema.ts';
import { Links, linkTo } from '../links.ts';
import { CURRENT_VERSION } from '../version.ts';

const Role = OneOf(['reader', 'writer', 'admin', 'owner', 'no_access'], { description: 'A base role' });

/** Every call of a token asks its whole policy. */
const MOST_STATEMENTS = 500;
const Names = Type.Optional(Type.Array(Type.String(), { maxItems: MOST_STATEMENTS }));

const StatementSchema = Type.Object(
  {
    effect: OneOf(['allow', 'deny']),
    actions: Names,
    notActions: Names,
    resources: Names,
    notResources: Names,
  },
  { $id: 'Statement' },
);

/** Epoch milliseconds that are still exact as a number. */
export function Instant(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

/** What a patch may change. */
const EDITABLE = {
  name: Type.Optional(PlainText({ maxLength: 256 })),
  description: Type.Optional(PlainText({ maxLength: 2000 })),
  role: Type.Optional(Role),
  customRoleIds: Type.Optional(
    Type.Array(PlainText({ minLength: 1 }), { maxItems: 100, description: 'Ids or keys of custom roles' }),
  ),
  inlineRole: Type.Optional(Type.Array(StatementSchema, { maxItems: MOST_STATEMENTS })),
};

export const TokenPost = Type.Object(
  {
    ...EDITABLE,
    serviceToken: Type.Optional(Type.Boolean()),
    defaultApiVersion: Type.Optional(Type.Integer()),
    expiry: Type.Optional(Instant('When it stops working, in epoch milliseconds')),
  },
  { $id: 'AccessTokenPost' },
);

const SUMMARY = {
  _id: Type.String(),
  _links: Links,
  ownerId: Type.String(),
  memberId: Type.String(),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  creationDate: Type.Integer(),
  lastModified: Type.Integer(),
  role: Type.Optional(Role),
  token: Type.String({ description: 'Whole when it was just made or reset; else its last four characters' }),
  serviceToken: Type.Boolean(),
  defaultApiVersion: Type.Integer(),
  lastUsed: Type.Optional(Type.Integer()),
  expiry: Type.Optional(Type.Integer()),
};

export const TokenSummary = Type.Object(SUMMARY, { $id: 'TokenSummary' });

export const TokenDetail = Type.Object(
  {
    ...SUMMARY,
    customRoleIds: Type.Optional(Type.Array(Type.String())),
    inlineRole: Type.Optional(Type.Array(StatementSchema)),
    _member: Type.Optional(
      Type.Object({
        _id: Type.String(),
        _links: Links,
        role: Type.String(),
        email: Type.String(),
        firstName: Type.Optional(Type.String()),
        lastName: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'Token' },
);

/** Names the token in policies, or all of a member's when its id is `*`. One's own are below `member/me`. */
export function resourceOf(
  { id, isService, memberId }: Pick<Token, 'id' | 'isService' | 'memberId'>,
  caller: KnownCaller,
): string {
  if (isService) return `service-token/${id}`;
  return `member/${isOwner(caller, memberId) ? 'me' : memberId}:token/${id}`;
}

/** A service token is nobody's own: it does not stand for whoever made it. */
export function isOwner({ member, token }: KnownCaller, memberId: string): boolean {
  return memberId === member.id && token?.isService !== true;
}

export function toSummary(token: Token, secret?: string): Static<typeof TokenSummary> {
  return {
    _id: token.id,
    _links: { self: linkTo(`/tokens/${token.id}`), parent: linkTo('/tokens') },
    ownerId: token.memberId,
    memberId: token.memberId,
    name: token.name,
    description: token.description,
    creationDate: token.createdAt,
    lastModified: token.modifiedAt,
    token: secret ?? token.ending,
    serviceToken: token.isService,
    defaultApiVersion: token.defaultApiVersion ?? CURRENT_VERSION,
    ...(token.role !== undefined && { role: token.role }),
    ...(token.lastUsedAt !== undefined && { lastUsed: token.lastUsedAt }),
    ...(token.expiresAt !== undefined && { expiry: token.expiresAt }),
  };
}

export function toDetail(
  token: Token,
  owner: Member | undefined,
  secret?: string,
): Static<typeof TokenDetail> {
  return {
    ...toSummary(token, secret),
    ...(token.customRoles.length > 0 && { customRoleIds: token.customRoles }),
    ...(token.inlinePolicy !== undefined && { inlineRole: token.inlinePolicy }),
    ...(owner !== undefined && {
      _member: {
        _id: owner.id,
        _links: { self: linkTo(`/members/${owner.id}`) },
        role: owner.role,
        email: owner.email,
        ...(owner.firstName !== undefined && { firstName: owner.firstName }),
        ...(owner.lastName !== undefined && { lastName: owner.lastName }),
      },
    }),
  };
}

export function readPost(post: Static<typeof TokenPost>, memberId: string, now: number): NewToken {
  if (post.expiry !== undefined && post.expiry <= now)
    throw invalid([{ field: 'expiry', message: 'must be in the future' }]);
  // Calls are answered in the versions there are, so that no other can be promised.
  if (post.defaultApiVersion !== undefined && post.defaultApiVersion !== CURRENT_VERSION)
    throw invalid([{ field: 'defaultApiVersion', message: `must be ${CURRENT_VERSION}` }]);
  return {
    memberId,
    isService: post.serviceToken ?? false,
    name: post.name ?? '',
    description: post.description ?? '',
    ...readPower(post),
    ...(post.defaultApiVersion !== undefined && { defaultApiVersion: post.defaultApiVersion }),
    ...(post.expiry !== undefined && { expiresAt: post.expiry }),
  };
}

interface Editable {
  name?: string | undefined;
  description?: string | undefined;
  role?: BaseRole | undefined;
  customRoleIds?: string[] | undefined;
  inlineRole?: Statement[] | undefined;
}

/** A token's power is one of three; saying none makes a reader. */
function readPower({ role, customRoleIds = [], inlineRole = [] }: Editable): Power {
  const given = [role !== undefined, customRoleIds.length > 0, inlineRole.length > 0].filter(Boolean).length;
  if (given > 1)
    throw invalid([
      { field: 'role', message: 'cannot be combined: give one of role, customRoleIds and inlineRole' },
    ]);
  if (given === 0) return { role: 'reader', customRoles: [] };
  return {
    customRoles: customRoleIds,
    ...(role !== undefined && { role }),
    ...(inlineRole.length > 0 && { inlinePolicy: parseStatements(inlineRole) }),
  };
}

const OPTIONAL = new Set(Object.keys(EDITABLE).map((name) => `/${name}`));
const checkEditable = checker(Type.Object(EDITABLE), 'body');

/**
 * Applies a JSON patch to the token as it is shown. Only name, description and power can change; giving another kind of
 * power takes the place of the one there was.
 */
export function patchToken(token: Token, owner: Member | undefined, operations: unknown[]): Token {
  const shown = toDetail(token, owner);
  const patched = applyJsonPatch(shown, operations, {
    optional: (pointer) => OPTIONAL.has(pointer),
    locked: isUnderscored,
  });
  if (!isObject(patched)) throw new Failure('unprocessable', 'A token cannot become what is no object.');
  for (const name of new Set([...Object.keys(shown), ...Object.keys(patched)])) {
    const isSame = areEqual(shown[name as keyof typeof shown], patched[name]);
    if (!isSame && !OPTIONAL.has(`/${name}`)) throw invalid([{ field: name, message: 'cannot be changed' }]);
  }
  checkEditable(patched);
  const wanted = patched as Editable;
  const { role: _role, inlinePolicy: _inlinePolicy, ...kept } = token;
  return {
    ...kept,
    ...readPower(replacePower(shown, wanted)),
    name: wanted.name ?? '',
    description: wanted.description ?? '',
  };
}

/** Where the patch gave a new kind of power and left the old one standing, the old one goes. An empty list gives none. */
function replacePower(before: Editable, { role, customRoleIds, inlineRole }: Editable): Editable {
  const kinds = { role, customRoleIds, inlineRole };
  const added = (Object.keys(kinds) as (keyof typeof kinds)[]).filter(
    (kind) => kinds[kind] !== undefined && kinds[kind].length > 0 && before[kind] === undefined,
  );
  const [only] = added;
  return added.length === 1 && only !== undefined ? { [only]: kinds[only] } : kinds;
}
