// Access tokens: list, create, get, patch, reset, delete.
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { type Access, requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { findAccount, findHeir, lockServiceAccounts } from '../../kernel/identity/store-accounts.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { findMember } from '../../kernel/identity/store-members.ts';
import { checkGrant, checkOutlives, expiryOfNewToken, hasSamePermissions } from '../members/grant-rules.ts';
import { findRoles, shareLockRoles, listUnknownRoles } from '../../kernel/identity/store-roles.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import {
  insertToken,
  deleteToken,
  findTokens,
  listTokenNames,
  resetToken,
  TOKEN_PREFIX,
  updateToken,
  type Token,
} from '../../kernel/identity/store-tokens.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { Instant } from '../fields.ts';
import { PageQuery, sliceInVersion } from '../lists/list-query.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import { checkTokenChange, checkTokenReset, openToken, tokenNotFound } from './access.ts';
import {
  TOKEN_ACTIONS,
  tokenAccesses,
  patchToken,
  readTokenPost,
  tokenResource,
  toTokenDetail,
  TokenDetail,
  TokenPost,
  TokenSummary,
  toTokenSummary,
} from './model.ts';

const DEFAULT_LIMIT = 25;
const ById = Type.Object({ id: Type.String() });

const getTokens = route(
  {
    id: 'getTokens',
    method: 'GET',
    path: '/tokens',
    summary: 'List access tokens',
    description:
      "One's own and all service tokens; everyone's with `showAll`, for those who may manage them.",
    access: { action: 'viewAccessToken' },
    query: Type.Object({
      ...PageQuery,
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
      showAll: Type.Boolean({ default: false }),
    }),
    list: TokenSummary,
  },
  async (call, { db }) => {
    const { caller, query } = call;
    if (!call.can('service-token/*')) call.requirePermission('member/me:token/*');
    const names = await listTokenNames(db, query.showAll ? {} : { visibleTo: caller.member.id });
    const seen = await filterInSlices(names, (name) => call.can(tokenResource(name, caller)));
    const slice = sliceInVersion(call, DEFAULT_LIMIT);
    const ids = seen.slice(slice.offset, slice.offset + slice.limit).map(({ id }) => id);
    return new Page(await findTokens(db, ids), seen.length, slice).map((token) => toTokenSummary(token));
  },
);

const postToken = route(
  {
    id: 'postToken',
    method: 'POST',
    path: '/tokens',
    summary: 'Create an access token',
    description:
      'The reply is the only one to hold the whole token. A service token is an account of its own on the other APIs. Its username there is made from its name of now, and is public; the name itself is not. A token that expires creates none that expires later: without an `expiry` the new one expires with it.',
    access: { action: 'createAccessToken' },
    body: TokenPost,
    reply: { 201: TokenDetail },
  },
  async (call, { changes }) => {
    const { caller, now, body } = call;
    const wanted = readTokenPost(body, caller.member.id, now);
    call.requirePermission(tokenResource({ ...wanted, id: '*' }, caller));
    checkGrant(caller, wanted, wanted.isService);
    const expiresAt = expiryOfNewToken(caller, wanted.expiresAt);
    const secret = newSecret(TOKEN_PREFIX);
    const token = await changes.run(call, async (tx) => {
      const { db } = tx;
      await requireRoles(db, wanted.customRoles);
      const made = await insertToken(
        db,
        { ...wanted, ...(expiresAt !== undefined && { expiresAt }) },
        secret,
        now,
      );
      tx.record({
        ...changeOf(made, ['createAccessToken'], caller),
        verb: 'created the token',
        after: toTokenDetail(made, undefined),
      });
      return made;
    });
    const location = `/api/v2/tokens/${token.id}`;
    return reply(201, toTokenDetail(token, caller.member, secret.value), { location });
  },
);

const getToken = route(
  {
    id: 'getToken',
    method: 'GET',
    path: '/tokens/{id}',
    summary: 'Get an access token',
    access: { action: 'viewAccessToken' },
    params: ById,
    reply: { 200: TokenDetail },
  },
  async (call, { db }) => {
    const token = await openToken(call, db, call.params.id);
    return toTokenDetail(token, await findMember(db, { id: token.memberId }));
  },
);

const patchTokenRoute = route(
  {
    id: 'patchToken',
    method: 'PATCH',
    path: '/tokens/{id}',
    summary: 'Change name, description or power of an access token by JSON patch',
    access: { action: 'updateAccessToken*', others: ['viewAccessToken'] },
    params: ById,
    ...takesPatches('Token', { json: true }),
    reply: { 200: TokenDetail },
  },
  async (call, { changes }) => {
    const { caller, now, params } = call;
    const patch = readDocumentPatch(call, ['json']);
    const { token, owner } = await changes.run(call, async (tx) => {
      const { db } = tx;
      const found = await openToken(call, db, params.id, 'hold');
      const member = await findMember(db, { id: found.memberId });
      const wanted = patchToken(found, member, patch);
      const accesses = tokenAccesses(found, wanted, tokenResource(found, caller));
      const [first] = accesses;
      if (first === undefined) {
        requireAnyPermission(call, TOKEN_ACTIONS, tokenResource(found, caller));
        return { token: found, owner: member };
      }
      requireAllPermissions(call, accesses);
      checkTokenChange(found, caller, first.action);
      if (!hasSamePermissions(found, wanted)) {
        checkGrant(caller, wanted, wanted.isService);
        checkOutlives(caller, found, first);
        await requireRoles(db, wanted.customRoles);
      }
      const after = await updateToken(db, found, wanted, now);
      tx.record({
        ...changeOf(
          after,
          accesses.map(({ action }) => action),
          caller,
        ),
        verb: 'updated the token',
        before: toTokenDetail(found, undefined),
        after: toTokenDetail(after, undefined),
        comment: patch.comment,
        update: updateOf(patch),
      });
      await tx.invalidate(IDENTITY);
      return { token: after, owner: member };
    });
    return toTokenDetail(token, owner);
  },
);

const resetTokenRoute = route(
  {
    id: 'resetToken',
    method: 'POST',
    path: '/tokens/{id}/reset',
    summary: 'Give an access token a new secret',
    description: 'The old secret stops working at once, or at `expiry`.',
    access: { action: 'resetAccessToken' },
    params: ById,
    query: Type.Object({
      expiry: Type.Optional(Instant('Until when the old secret works, in epoch milliseconds')),
    }),
    reply: { 200: TokenDetail },
  },
  async (call, { changes, db }) => {
    const { caller, now, params, query } = call;
    const secret = newSecret(TOKEN_PREFIX);
    const token = await changes.run(call, async (tx) => {
      const before = await openToken(call, tx.db, params.id, 'hold');
      call.requirePermission(tokenResource(before, caller));
      checkTokenReset(before, caller);
      const reset = { secret, ...(query.expiry !== undefined && { oldUntil: query.expiry }) };
      const after = await resetToken(tx.db, before, reset, now);
      tx.record({
        ...changeOf(after, ['resetAccessToken'], caller),
        verb: 'reset the token',
        before: toTokenDetail(before, undefined),
        after: toTokenDetail(after, undefined),
      });
      await tx.invalidate(IDENTITY);
      return after;
    });
    return toTokenDetail(token, await findMember(db, { id: token.memberId }), secret.value);
  },
);

const deleteTokenRoute = route(
  {
    id: 'deleteToken',
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Delete an access token',
    description: 'What a service token owns on the other APIs goes to the caller.',
    access: { action: 'deleteAccessToken' },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes, transferOwnership }) => {
    const { caller, params } = call;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockServiceAccounts(db);
      const token = await openToken(call, db, params.id, 'hold');
      call.requirePermission(tokenResource(token, caller));
      checkTokenChange(token, caller, 'deleteAccessToken');
      const account = token.isService ? await findAccount(db, { id: token.id }) : undefined;
      if (!(await deleteToken(db, token.id))) throw tokenNotFound(token.id);
      // After the deletion, because the token can create nothing more then.
      if (account !== undefined) {
        await transferOwnership(tx, account, await findHeir(db, token, accountOf(caller)));
      }
      tx.record({
        ...changeOf(token, ['deleteAccessToken'], caller),
        verb: 'deleted the token',
        before: toTokenDetail(token, undefined),
      });
      await tx.invalidate(IDENTITY);
    });
    return reply(204);
  },
);

export const tokenRoutes = [
  getTokens,
  postToken,
  getToken,
  patchTokenRoute,
  resetTokenRoute,
  deleteTokenRoute,
];

async function requireRoles(tx: Db, names: string[]): Promise<void> {
  const [unknown] = await listUnknownRoles(tx, names);
  if (unknown !== undefined) throw problem('customRoleIds', `names an unknown role: ${unknown}`);
  await shareLockRoles(tx, await findRoles(tx, names));
}

/** Recorded under a specifier that does not depend on the caller. */
function changeOf(token: Token, actions: readonly string[], caller: KnownCaller) {
  const { id, isService, memberId, name } = token;
  const resource = isService ? `service-token/${id}` : `member/${memberId}:token/${id}`;
  const accesses = actions.map((action) => ({ action, resource })) as [Access, ...Access[]];
  const requirements = actions.map((action) => ({ action, resource: tokenResource(token, caller) }));
  return { accesses, requirements, kind: 'token', name: name || `token ${id}` };
}
