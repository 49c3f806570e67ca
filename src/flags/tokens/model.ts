// The representation of access tokens, and the rules for changing them.
import type { Access } from '../../kernel/identity/actor.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import { parseStatements, type BaseRole, type PolicyStatement } from '../../kernel/identity/policy.ts';
import { hasSamePermissions } from '../members/grant-rules.ts';
import type { NewToken, TokenPermissions, Token } from '../../kernel/identity/store-tokens.ts';
import { PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { Instant } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { MemberSummary, toMemberSummary } from '../members/model.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { BaseRoleSchema, RoleNames, Statements } from '../roles/model.ts';
import { CURRENT_VERSION, VALID_VERSIONS } from '../version.ts';

/** What a patch may change. */
const EDITABLE = {
  name: Type.Optional(PlainText({ maxLength: 256 })),
  description: Type.Optional(PlainText({ maxLength: 2000 })),
  role: Type.Optional(BaseRoleSchema),
  customRoleIds: Type.Optional(RoleNames),
  inlineRole: Type.Optional(Statements),
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
  role: Type.Optional(BaseRoleSchema),
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
    inlineRole: Type.Optional(Statements),
    _member: Type.Optional(MemberSummary),
  },
  { $id: 'Token' },
);

/**
 * The token's specifier in policies; with the id `*`, that of all tokens of the member. The caller's own tokens are
 * below `member/me`.
 */
export function tokenResource(
  { id, isService, memberId }: Pick<Token, 'id' | 'isService' | 'memberId'>,
  caller: KnownCaller,
): string {
  if (isService) return `service-token/${id}`;
  return `member/${isTokenOwner(caller, memberId) ? 'me' : memberId}:token/${id}`;
}

/** A service token has no owner: it does not act as its creator. */
export function isTokenOwner({ member, token }: KnownCaller, memberId: string): boolean {
  return memberId === member.id && token?.isService !== true;
}

export function toTokenSummary(token: Token, secret?: string): Static<typeof TokenSummary> {
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

export function toTokenDetail(
  token: Token,
  owner: Member | undefined,
  secret?: string,
): Static<typeof TokenDetail> {
  return {
    ...toTokenSummary(token, secret),
    ...(token.customRoles.length > 0 && { customRoleIds: token.customRoles }),
    ...(token.inlinePolicy !== undefined && { inlineRole: token.inlinePolicy }),
    ...(owner !== undefined && { _member: toMemberSummary(owner) }),
  };
}

export function readTokenPost(post: Static<typeof TokenPost>, memberId: string, now: number): NewToken {
  if (post.expiry !== undefined && post.expiry <= now) throw problem('expiry', 'must be in the future');
  // Other versions are refused, because no call could be answered in them.
  if (post.defaultApiVersion !== undefined && !VALID_VERSIONS.includes(post.defaultApiVersion))
    throw problem('defaultApiVersion', `must be one of ${VALID_VERSIONS.join(', ')}`);
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
  inlineRole?: PolicyStatement[] | undefined;
}

/** Permissions come from one of the three fields; a reader if none is given. */
function readPower({ role, customRoleIds = [], inlineRole = [] }: Editable): TokenPermissions {
  const given = [role !== undefined, customRoleIds.length > 0, inlineRole.length > 0].filter(Boolean).length;
  if (given > 1) throw problem('role', 'cannot be combined: give one of role, customRoleIds and inlineRole');
  if (given === 0) return { role: 'reader', customRoles: [] };
  return {
    customRoles: customRoleIds,
    ...(role !== undefined && { role }),
    ...(inlineRole.length > 0 && { inlinePolicy: parseStatements(inlineRole) }),
  };
}

const edit = editor({ editable: Type.Object(EDITABLE) });

/**
 * Applies a patch to the token's representation. Only name, description and permissions can change; a new kind of
 * permissions replaces the old one.
 */
export function patchToken(token: Token, owner: Member | undefined, patch: DocumentPatch): Token {
  const shown = toTokenDetail(token, owner);
  const wanted = edit(shown, patch);
  const { role: _role, inlinePolicy: _inlinePolicy, ...kept } = token;
  return {
    ...kept,
    ...readPower(replacePower(shown, wanted)),
    name: wanted.name ?? '',
    description: wanted.description ?? '',
  };
}

/** If the patch adds a new kind of permissions and keeps the old one, the old one is removed. An empty list adds none. */
function replacePower(before: Editable, { role, customRoleIds, inlineRole }: Editable): Editable {
  const kinds = { role, customRoleIds, inlineRole };
  const added = (Object.keys(kinds) as (keyof typeof kinds)[]).filter(
    (kind) => kinds[kind] !== undefined && kinds[kind].length > 0 && before[kind] === undefined,
  );
  const [only] = added;
  return added.length === 1 && only !== undefined ? { [only]: kinds[only] } : kinds;
}

export const TOKEN_ACTIONS = [
  'updateAccessTokenName',
  'updateAccessTokenDescription',
  'updateAccessTokenPolicy',
];

/** The permissions that the change requires, by changed field. */
export function tokenAccesses(before: Token, after: Token, resource: string): Access[] {
  const actions = [
    ...(before.name === after.name ? [] : ['updateAccessTokenName']),
    ...(before.description === after.description ? [] : ['updateAccessTokenDescription']),
    ...(hasSamePermissions(before, after) ? [] : ['updateAccessTokenPolicy']),
  ];
  return actions.map((action) => ({ action, resource }));
}
