// Browser sessions, on both engines.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import type { Db } from '../../storage/tables.ts';
import { insertMember, type Member } from '../store-members.ts';
import { hashSecret, newSecret } from '../../secrets/secret.ts';
import {
  deleteSession,
  findOpenedByLink,
  findSession,
  forgetOpenedByLink,
  insertSession,
  SESSION_MS,
  deleteExpired,
} from './store-sessions.ts';
import { insertLoginLink, spendLoginLink } from './store-login-links.ts';
import { identityMigrations } from '../tables.ts';
import { insertToken, findTokenByHash, resetToken } from '../store-tokens.ts';

const NOW = 1_800_000_000_000;
const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let db: Db;
  let ada: Member;
  before(async () => {
    ({ db } = await engine.open(identityMigrations));
    ada = await insertMember(db, { username: 'ada', email: 'ada@example.com', role: 'reader' }, null, NOW);
  });

  test('a session is found by the hash of its secret for fourteen days', async () => {
    const { secret, pageSecret } = await insertSession(db, ada, NOW);
    const hash = hashSecret(secret);
    assert.deepEqual(await findSession(db, hash, NOW), {
      member: ada,
      attributes: {},
      expiresAt: NOW + SESSION_MS,
      pageHash: hashSecret(pageSecret),
    });
    assert.notEqual(pageSecret, secret);
    assert.equal(SESSION_MS, 14 * DAY);
    assert.notEqual(await findSession(db, hash, NOW + SESSION_MS - 1), undefined);
    assert.equal(await findSession(db, hash, NOW + SESSION_MS), undefined);
    assert.equal(await findSession(db, secret, NOW), undefined, 'the secret itself is not kept');
  });

  test('a session knows that a link has opened it, until it has set a password', async () => {
    const byPassword = await insertSession(db, ada, NOW);
    assert.equal(await findOpenedByLink(db, hashSecret(byPassword.secret)), undefined);
    const byLink = await insertSession(db, ada, NOW, { address: null, agent: null }, 'reset');
    const hash = hashSecret(byLink.secret);
    assert.equal(await findOpenedByLink(db, hash), NOW);
    await forgetOpenedByLink(db, hash);
    assert.equal(await findOpenedByLink(db, hash), undefined);
    assert.notEqual(await findSession(db, hash, NOW), undefined);
  });

  test('closing ends one session and no other', async () => {
    const { secret: one } = await insertSession(db, ada, NOW);
    const { secret: other } = await insertSession(db, ada, NOW);
    await deleteSession(db, one);
    assert.equal(await findSession(db, hashSecret(one), NOW), undefined);
    assert.notEqual(await findSession(db, hashSecret(other), NOW), undefined);
  });

  test('the sweep deletes only expired rows', async () => {
    for (const table of ['sessions', 'login_links', 'tokens'] as const) await db.deleteFrom(table).execute();
    const { secret: session } = await insertSession(db, ada, NOW);
    await insertSession(db, ada, NOW - SESSION_MS);
    const link = await insertLoginLink(db, ada, NOW);
    await insertLoginLink(db, ada, NOW - DAY);
    const old = newSecret('api-');
    const usual = { memberId: ada.id, isService: false, name: '', description: '', customRoles: [] };
    const token = await insertToken(db, { ...usual, expiresAt: NOW }, newSecret('api-'), NOW - DAY);
    const lasting = await insertToken(db, usual, old, NOW - DAY);
    await resetToken(db, lasting, { secret: newSecret('api-'), oldUntil: NOW }, NOW - DAY);
    await deleteExpired(db, NOW);
    const count = async (table: 'sessions' | 'login_links' | 'tokens') =>
      (await db.selectFrom(table).selectAll().execute()).length;
    assert.deepEqual([await count('sessions'), await count('login_links'), await count('tokens')], [1, 1, 2]);
    assert.notEqual(await findSession(db, hashSecret(session), NOW), undefined);
    assert.notEqual(await spendLoginLink(db, link, NOW), undefined);
    assert.equal(await findTokenByHash(db, old.hash, NOW - 1), undefined, 'its hash is gone');
    const rows = await db.selectFrom('tokens').select('old_hash').where('id', '!=', token.id).execute();
    assert.deepEqual(rows, [{ old_hash: null }]);
  });
});
