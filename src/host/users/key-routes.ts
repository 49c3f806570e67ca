// Public keys: the caller's own, and those that others see.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { findOwner } from '../owners/store.ts';
import { lockUser, userResource, userNotFound } from './access.ts';
import { NewPublicKey, parsePublicKey, PublicKey, PublicKeySimple, toPublicKey } from './key.ts';
import { deleteUserKey, findUserKey, insertUserKey, listUserKeys } from './store.ts';

const KeyPath = Type.Object({ key_id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) });

const listOwnKeys = route(
  {
    id: 'users/list-public-ssh-keys-for-authenticated-user',
    method: 'GET',
    path: '/user/keys',
    summary: "List the caller's public keys",
    access: { action: 'viewKeys' },
    query: Type.Object(HostPageQuery),
    list: PublicKey,
  },
  async (call, { db }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const slice = pageSliceOf(call.query);
    const { items, total } = await listUserKeys(db, account.id, slice);
    return new Page(items, total, slice).map((key) => toPublicKey(key, call.base));
  },
);

const createKey = route(
  {
    id: 'users/create-public-ssh-key-for-authenticated-user',
    method: 'POST',
    path: '/user/keys',
    summary: 'Add a public key',
    description:
      'In the format of OpenSSH: Ed25519, ECDSA, or RSA with at least 2048 bits. A key belongs to one user only. Without a title ' +
      "the key's comment is its title.",
    access: { action: 'createKey' },
    body: NewPublicKey,
    reply: { 201: PublicKey },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    const resource = userResource(account);
    call.requirePermission(resource);
    const { comment, ...parsed } = parsePublicKey(call.body.key);
    const title = call.body.title?.trim() || comment.trim().slice(0, 255);
    const key = await changes.run(call, async (tx) => {
      await lockUser(tx.db, call.caller);
      const inserted = await insertUserKey(tx.db, account.id, { ...parsed, title }, call.now);
      if (inserted === undefined) throw problem('key', 'is already in use');
      tx.record({
        accesses: [{ action: 'createKey', resource }],
        kind: 'user-key',
        name: title,
        verb: 'added the key',
        ownerId: account.id,
        after: { id: inserted.number, title, key: inserted.publicKey },
      });
      return inserted;
    });
    return reply(201, toPublicKey(key, call.base));
  },
);

const getKey = route(
  {
    id: 'users/get-public-ssh-key-for-authenticated-user',
    method: 'GET',
    path: '/user/keys/{key_id}',
    summary: "Get one of the caller's public keys",
    access: { action: 'viewKeys' },
    params: KeyPath,
    reply: { 200: PublicKey },
  },
  async (call, { db }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const key = await findUserKey(db, account.id, call.params.key_id);
    if (key === undefined) throw keyNotFound();
    return toPublicKey(key, call.base);
  },
);

const removeKey = route(
  {
    id: 'users/delete-public-ssh-key-for-authenticated-user',
    method: 'DELETE',
    path: '/user/keys/{key_id}',
    summary: 'Delete a public key',
    access: { action: 'deleteKey' },
    params: KeyPath,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    const resource = userResource(account);
    call.requirePermission(resource);
    await changes.run(call, async (tx) => {
      const deleted = await deleteUserKey(tx.db, account.id, call.params.key_id);
      if (deleted === undefined) throw keyNotFound();
      tx.record({
        accesses: [{ action: 'deleteKey', resource }],
        kind: 'user-key',
        name: deleted.title,
        verb: 'deleted the key',
        ownerId: account.id,
        before: { id: deleted.number, title: deleted.title, key: deleted.publicKey },
      });
    });
    return reply(204);
  },
);

const listKeysOfUser = route(
  {
    id: 'users/list-public-keys-for-user',
    method: 'GET',
    path: '/users/{username}/keys',
    summary: 'List the public keys of a user',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: Type.Object(HostPageQuery),
    list: PublicKeySimple,
  },
  async ({ params, query }, { db }) => {
    const owner = await findOwner(db, params.username);
    if (owner === undefined) throw userNotFound(params.username);
    const slice = pageSliceOf(query);
    const { items, total } = await listUserKeys(db, owner.id, slice);
    return new Page(items, total, slice).map(({ number, publicKey }) => ({ id: number, key: publicKey }));
  },
);

function keyNotFound(): Failure {
  return new Failure('not-found', 'You have no such key');
}

export const keyRoutes = [listOwnKeys, createKey, getKey, removeKey, listKeysOfUser];
