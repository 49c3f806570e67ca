// Members, on both engines: inserting, finding, searching, removing, and checking passwords.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Db } from '../storage/tables.ts';
import {
  checkPassword,
  deleteMember,
  findMember,
  insertMember,
  searchMembers,
  type NewMember,
} from './store-members.ts';
import { hashPassword, newSecret } from '../secrets/secret.ts';
import { insertLoginLink, spendLoginLink } from './sessions/store-login-links.ts';
import { insertSession } from './sessions/store-sessions.ts';
import { findToken, insertToken } from './store-tokens.ts';
import { identityMigrations } from './tables.ts';

const NOW = 1_800_000_000_000;

onEachEngine((engine) => {
  let db: Db;
  before(async () => ({ db } = await engine.open(identityMigrations)));

  function join(username: string, member: Partial<NewMember> = {}, password: string | null = null) {
    const usual = { username, email: `${username}@example.com`, role: 'reader' as const };
    return insertMember(db, { ...usual, ...member }, password, NOW);
  }

  test('a member is found by id, username and number, as they were made', async () => {
    const ada = await join('ada', {
      firstName: 'Ada',
      lastName: 'L',
      role: 'admin',
      customRoles: ['a', 'b'],
    });
    assert.deepEqual(
      { ...ada, id: '', number: 0 },
      {
        id: '',
        number: 0,
        username: 'ada',
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: 'L',
        role: 'admin',
        customRoles: ['a', 'b'],
        createdAt: NOW,
        updatedAt: NOW,
      },
    );
    for (const name of [{ id: ada.id }, { username: 'ada' }, { number: ada.number }]) {
      assert.deepEqual(await findMember(db, name), ada);
    }
  });

  test('numbers grow', async () => {
    const first = await join('first');
    assert.ok((await join('second')).number > first.number);
  });

  test('an impossible name finds no member', async () => {
    for (const username of ['', 'nobody', 'a\0b', "x' or 1=1", 'x'.repeat(100_000), '\ud800']) {
      assert.equal(await findMember(db, { username }), undefined);
    }
    for (const id of ['', 'a\0b', '0123456789abcdef01234567'])
      assert.equal(await findMember(db, { id }), undefined);
    for (const number of [-1, 0, 1.5, 2 ** 31, 1e20, NaN])
      assert.equal(await findMember(db, { number }), undefined);
  });

  test('a username is letters, digits and single hyphens inside', async () => {
    for (const username of ['x', 'A1', 'a-b-c', '0', 'x'.repeat(39)]) await join(username);
    for (const username of [
      '',
      '-a',
      'a-',
      'a--b',
      'a_b',
      'a b',
      'ä',
      'a\n',
      'a\0',
      'x'.repeat(40),
      'me@x',
    ]) {
      await assert.rejects(join(username), { kind: 'invalid' }, username);
    }
  });

  test('an e-mail address has something on both sides of the @', async () => {
    for (const email of ['', 'a', '@', 'a@', '@b', 'a b@c', 'a@b@c', 'a\0@b']) {
      await assert.rejects(join('mailer', { email }), { kind: 'invalid' }, email);
    }
  });

  test('a username or an address that is taken is a conflict', async () => {
    await join('twin');
    await assert.rejects(join('twin', { email: 'other@example.com' }), { kind: 'conflict' });
    await assert.rejects(join('other', { email: 'twin@example.com' }), { kind: 'conflict' });
  });

  test('a search finds usernames and names, those that begin with the words first', async () => {
    await join('zoe-search', { firstName: 'Zoe', lastName: 'Quist' });
    await join('quist-fan');
    await join('percent', { firstName: '100%_sure' });
    const find = async (words: string) => {
      const { items, total } = await searchMembers(db, words, { offset: 0, limit: 10 });
      assert.equal(total, items.length);
      return items.map(({ username }) => username);
    };
    assert.deepEqual(await find('QUIST'), ['quist-fan', 'zoe-search']);
    assert.deepEqual(await find('zoe quist'), ['zoe-search']);
    assert.deepEqual(await find('%_'), ['percent'], 'signs of patterns are only signs');
    assert.deepEqual(await find('\\'), []);
    assert.deepEqual(await find('a\0'), []);
    const { items, total } = await searchMembers(db, 'quist', { offset: 1, limit: 1 });
    assert.deepEqual([items[0]?.username, total], ['zoe-search', 2]);
  });

  test('a password is accepted with username or address, and with nothing else', async () => {
    const member = await join('locked', {}, await hashPassword('open sesame'));
    assert.deepEqual(await checkPassword(db, 'locked', 'open sesame'), member);
    assert.deepEqual(await checkPassword(db, 'locked@example.com', 'open sesame'), member);
    for (const [name, password] of [
      ['locked', 'open sesamE'],
      ['locked', ''],
      ['unknown', 'open sesame'],
      ['twin', ''],
      ['a\0b', 'open sesame'],
    ] as const) {
      assert.equal(await checkPassword(db, name, password), undefined, name);
    }
  });

  test('a removed member is not found and holds nothing, but their service tokens stay', async () => {
    const member = await join('gone', { role: 'admin' });
    const token = { memberId: member.id, name: '', description: '', customRoles: [] };
    const personal = await insertToken(db, { ...token, isService: false }, newSecret('api-'), NOW);
    const service = await insertToken(db, { ...token, isService: true }, newSecret('api-'), NOW);
    await insertSession(db, member, NOW);
    const link = await insertLoginLink(db, member, NOW);
    const read = { ...member, version: 1 };
    await deleteMember(db, read, NOW);
    assert.equal(await findMember(db, { id: member.id }), undefined);
    assert.equal(await findMember(db, { username: `removed-${member.id}` }), undefined);
    assert.equal((await searchMembers(db, 'removed', { offset: 0, limit: 9 })).total, 0);
    assert.equal(await findToken(db, personal.id), undefined);
    assert.notEqual(await findToken(db, service.id), undefined);
    assert.equal(await spendLoginLink(db, link, NOW), undefined);
    const sessions = await db.selectFrom('sessions').selectAll().where('member_id', '=', member.id).execute();
    assert.deepEqual(sessions, []);
    await assert.rejects(deleteMember(db, read, NOW), { kind: 'conflict' });
    assert.equal((await join('gone')).username, 'gone', 'their names are free again');
  });
});
