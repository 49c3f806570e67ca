// Reserved names, on both engines: a member, an organization and a path cannot have the same one.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../storage/engine.ts';
import { migrate } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';
import { deleteMember, insertMember } from './store-members.ts';
import { isNameFree, releaseName, reserveName, reservePaths } from './store-reserved-names.ts';
import { identityMigrations } from './tables.ts';

const NOW = 1_800_000_000_000;

const join = (db: Db, username: string) =>
  insertMember(db, { username, email: `${username}@example.com`, role: 'reader' }, null, NOW);

onEachEngine((testEngine) => {
  let engine: Engine;
  let db: Db;
  before(async () => {
    engine = await testEngine.open(identityMigrations);
    ({ db } = engine);
  });

  test('a name that is taken is refused to all others, in whatever case', async () => {
    await join(db, 'Ada');
    assert.equal(await reserveName(db, 'ADA', 'organization'), false);
    await assert.rejects(join(db, 'ada'), { kind: 'conflict' });
    assert.equal(await reserveName(db, 'Rails', 'organization'), true);
    assert.equal(await reserveName(db, 'rails', 'organization'), false);
    await assert.rejects(join(db, 'RAILS'), /"RAILS" cannot be a username: it is taken/);
    await reservePaths(db, ['Docs', 'docs', 'healthz', 'ada']);
    await assert.rejects(join(db, 'docs'), { kind: 'conflict' });
    assert.equal(await reserveName(db, 'HealthZ', 'organization'), false);
    for (const [name, isFree] of [
      ['aDa', false],
      ['rAils', false],
      ['docs', false],
      ['nobody', true],
    ] as const)
      assert.equal(await isNameFree(db, name), isFree, name);
  });

  test('a released name is free, and only its holder releases it', async () => {
    await reserveName(db, 'gone', 'organization');
    await releaseName(db, 'Gone', 'member');
    assert.equal(await isNameFree(db, 'gone'), false);
    await releaseName(db, 'Gone', 'organization');
    assert.equal(await isNameFree(db, 'gone'), true);
    await deleteMember(db, { ...(await join(db, 'leaver')), version: 1 }, NOW);
    assert.equal(await reserveName(db, 'leaver', 'organization'), true);
  });

  test('words for paths are reserved once, and leave names to those who have them', async () => {
    await join(db, 'early');
    await reservePaths(db, ['early', 'late']);
    await reservePaths(db, ['early', 'late']);
    const rows = await db
      .selectFrom('reserved_names')
      .selectAll()
      .where('name', 'in', ['early', 'late'])
      .orderBy('name')
      .execute();
    assert.deepEqual(
      rows.map(({ name, reserved_for }) => [name, reserved_for]),
      [
        ['early', 'member'],
        ['late', 'path'],
      ],
    );
  });

  test('of a member and an organization that want one name at the same time, one gets it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `wanted-${round}`;
      const results = await Promise.allSettled([
        db.transaction().execute(async (tx) => void (await join(tx, name))),
        db.transaction().execute(async (tx) => {
          if (!(await reserveName(tx, name.toUpperCase(), 'organization'))) throw new Error('taken');
        }),
        db.transaction().execute(async (tx) => {
          if (!(await reserveName(tx, name, 'organization'))) throw new Error('taken');
        }),
      ]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, name);
    }
  });

  test('a name of a transaction that fails is free again', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await reserveName(tx, 'undone', 'organization');
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.equal(await isNameFree(db, 'undone'), true);
  });
});

onEachEngine((testEngine) => {
  test('members of an older database keep names that differ in case alone; the last of them releases the name', async () => {
    const older = identityMigrations.filter(({ name }) => name !== 'kernel-identity-reserved-names');
    const engine = await testEngine.open(older);
    const { db } = engine;
    for (const username of ['Bob', 'bob', 'docs']) {
      await db
        .insertInto('members')
        .values({
          id: username.padEnd(24, '0'),
          username,
          email: `${username}@example.com`,
          password: null,
          first_name: null,
          last_name: null,
          sort_name: username,
          role: 'reader',
          custom_roles: '[]',
          created_at: NOW,
          updated_at: NOW,
          last_seen_at: null,
        })
        .execute();
    }
    await migrate(engine, identityMigrations, NOW);
    await reservePaths(db, ['docs']);
    const names = await db.selectFrom('reserved_names').select('name').orderBy('name').execute();
    assert.deepEqual(
      names.map(({ name }) => name),
      ['bob', 'docs'],
    );
    for (const [username, isFree] of [
      ['Bob', false],
      ['bob', true],
    ] as const) {
      await deleteMember(db, { id: username.padEnd(24, '0'), username, version: 1 }, NOW);
      assert.equal(await isNameFree(db, 'bob'), isFree);
    }
  });
});
