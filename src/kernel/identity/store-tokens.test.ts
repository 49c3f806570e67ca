// Access tokens, on both engines: inserting, finding by secret, listing, changing, resetting.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Db } from '../storage/tables.ts';
import { insertMember, type Member } from './store-members.ts';
import { newSecret, type Secret } from '../secrets/secret.ts';
import { identityMigrations } from './tables.ts';
import { versionUsageMigrations } from '../versions/usage/tables.ts';
import {
  insertToken,
  deleteToken,
  findToken,
  findTokenByHash,
  findTokens,
  listTokenNames,
  listTokens,
  resetToken,
  updateToken,
  type NewToken,
  type Token,
} from './store-tokens.ts';

const NOW = 1_800_000_000_000;
const statement = { effect: 'allow' as const, actions: ['view*'], resources: ['proj/*'] };

onEachEngine((engine) => {
  let db: Db;
  let ada: Member;
  let eva: Member;
  before(async () => {
    ({ db } = await engine.open([...identityMigrations, ...versionUsageMigrations]));
    const join = (username: string) =>
      insertMember(db, { username, email: `${username}@example.com`, role: 'writer' }, null, NOW);
    ada = await join('ada');
    eva = await join('eva');
  });

  async function make(token: Partial<NewToken> = {}, now = NOW): Promise<{ token: Token; secret: Secret }> {
    const secret = newSecret('api-');
    const usual = { memberId: ada.id, isService: false, name: '', description: '', customRoles: [] };
    return { token: await insertToken(db, { ...usual, ...token }, secret, now), secret };
  }

  test('a token is read as it was created, and absent fields stay absent', async () => {
    const full = {
      role: 'reader' as const,
      name: 'n',
      description: 'd',
      defaultApiVersion: 1,
      expiresAt: NOW + 1,
    };
    const { token, secret } = await make(full);
    assert.deepEqual(
      { ...token, id: '' },
      {
        ...full,
        id: '',
        memberId: ada.id,
        isService: false,
        ending: secret.ending,
        customRoles: [],
        createdAt: NOW,
        modifiedAt: NOW,
        version: 1,
      },
    );
    assert.deepEqual(await findToken(db, token.id), token);
    const { token: bare } = await make({ customRoles: ['a'] });
    assert.deepEqual(
      ['role', 'inlinePolicy', 'expiresAt', 'lastUsedAt'].filter((name) => name in bare),
      [],
    );
    assert.deepEqual((await make({ inlinePolicy: [statement] })).token.inlinePolicy, [statement]);
  });

  test('a token is found by its secret until it ends', async () => {
    const { token, secret } = await make({ expiresAt: NOW + 10 });
    assert.deepEqual(await findTokenByHash(db, secret.hash, NOW + 9), token);
    assert.equal(await findTokenByHash(db, secret.hash, NOW + 10), undefined);
    assert.equal(await findTokenByHash(db, newSecret('').hash, NOW), undefined);
  });

  test('a reset gives a new secret, and the old one no time', async () => {
    const { token, secret } = await make({ role: 'reader' });
    const next = newSecret('api-');
    const after = await resetToken(db, token, { secret: next }, NOW + 5);
    assert.deepEqual(after, { ...token, ending: next.ending, modifiedAt: NOW + 5, version: 2 });
    assert.equal(await findTokenByHash(db, secret.hash, NOW + 5), undefined);
    assert.deepEqual(await findTokenByHash(db, next.hash, NOW + 5), after);
  });

  test('or the time that was asked for, which then is the end of that secret', async () => {
    const { token, secret } = await make({ role: 'reader' });
    const next = newSecret('api-');
    const after = await resetToken(db, token, { secret: next, oldUntil: NOW + 100 }, NOW);
    assert.deepEqual(await findTokenByHash(db, secret.hash, NOW + 99), { ...after, expiresAt: NOW + 100 });
    assert.equal(await findTokenByHash(db, secret.hash, NOW + 100), undefined);
    assert.equal((await findTokenByHash(db, next.hash, NOW + 100))?.expiresAt, undefined);
  });

  test('grace goes no further than the token itself', async () => {
    const { token, secret } = await make({ expiresAt: NOW + 50 });
    await resetToken(db, token, { secret: newSecret('api-'), oldUntil: NOW + 100 }, NOW);
    assert.equal((await findTokenByHash(db, secret.hash, NOW))?.expiresAt, NOW + 50);
    assert.equal(await findTokenByHash(db, secret.hash, NOW + 50), undefined);
  });

  test('a grace in the past is none, and a later reset ends an earlier grace', async () => {
    const { token, secret } = await make();
    const second = newSecret('api-');
    const once = await resetToken(db, token, { secret: second, oldUntil: NOW + 100 }, NOW);
    await resetToken(db, once, { secret: newSecret('api-'), oldUntil: NOW }, NOW);
    assert.equal(await findTokenByHash(db, secret.hash, NOW), undefined);
    assert.equal(await findTokenByHash(db, second.hash, NOW), undefined);
  });

  test('changing a token that was changed meanwhile is a conflict, and changes nothing', async () => {
    const { token } = await make({ name: 'one', role: 'admin' });
    const two = await updateToken(db, token, { ...token, name: 'two' }, NOW + 1);
    assert.deepEqual([two.name, two.version, two.modifiedAt], ['two', 2, NOW + 1]);
    await assert.rejects(updateToken(db, token, { ...token, name: 'lost' }, NOW + 2), { kind: 'conflict' });
    await assert.rejects(resetToken(db, token, { secret: newSecret('') }, NOW + 2), { kind: 'conflict' });
    assert.deepEqual(await findToken(db, token.id), two);
  });

  test('setting another kind of permissions replaces the first', async () => {
    const { token } = await make({ role: 'admin' });
    const { role: _, ...rest } = token;
    const after = await updateToken(db, token, { ...rest, inlinePolicy: [statement] }, NOW);
    assert.deepEqual([after.role, after.inlinePolicy], [undefined, [statement]]);
  });

  test('a deleted token can be neither changed nor deleted again', async () => {
    const { token } = await make();
    assert.equal(await deleteToken(db, token.id), true);
    assert.equal(await deleteToken(db, token.id), false);
    assert.equal(await findToken(db, token.id), undefined);
    await assert.rejects(updateToken(db, token, token, NOW), { kind: 'conflict' });
    await assert.rejects(resetToken(db, token, { secret: newSecret('') }, NOW), { kind: 'not-found' });
  });

  test('lists are in the order of making, whole or of one member with all service tokens', async () => {
    await db.deleteFrom('tokens').execute();
    const made = [
      await make({ name: 'a' }, NOW + 1000),
      await make({ name: 'b', memberId: eva.id }, NOW + 2000),
      await make({ name: 'c', memberId: eva.id, isService: true }, NOW + 3000),
      await make({ name: 'd' }, NOW + 4000),
    ];
    const all = await listTokens(db, {}, { offset: 0, limit: 10 });
    assert.deepEqual([all.total, all.items.map(({ name }) => name)], [4, ['a', 'b', 'c', 'd']]);
    const some = await listTokens(db, { visibleTo: ada.id }, { offset: 1, limit: 1 });
    assert.deepEqual([some.total, some.items.map(({ name }) => name)], [3, ['c']]);
    const names = await listTokenNames(db, { visibleTo: ada.id });
    const [a, , c, d] = made.map(({ token: { id, memberId, isService } }) => ({ id, memberId, isService }));
    assert.deepEqual(names, [a, c, d]);
    const found = await findTokens(db, [d!.id, a!.id, 'unknown']);
    assert.deepEqual(
      found.map(({ name }) => name),
      ['a', 'd'],
    );
    assert.deepEqual(await findTokens(db, []), []);
  });

  test("a removed member's tokens are removed with them", async () => {
    const { secret } = await make({ memberId: eva.id });
    await db.deleteFrom('members').where('id', '=', eva.id).execute();
    assert.equal(await findTokenByHash(db, secret.hash, NOW), undefined);
  });
});
