// Searches of users by the number of their repositories, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { insertMember } from '../../kernel/identity/store-members.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { searchUsersByRepositories } from './store.ts';

const NOW = 1_800_000_000_000;

onEachEngine((engine) => {
  let db: Db;

  before(async () => {
    ({ db } = await engine.openMigrated());
    const ids: string[] = [];
    for (const username of ['sam-none', 'sam-two', 'sam-three', 'sam-hidden']) {
      const email = `${username}@example.com`;
      ids.push((await insertMember(db, { username, email, role: 'writer' }, null, NOW)).id);
    }
    const [, two, three, hidden] = ids;
    const owners = [two, two, three, three, three];
    const secrets = [hidden, hidden, hidden, hidden];
    await insertRepositoryRows(db, [0, 1, 2, 3, 4], NOW, (at) => ({ owner_id: owners[at]!, is_private: 0 }));
    await insertRepositoryRows(db, [5, 6, 7, 8], NOW, (at) => ({
      owner_id: secrets[at - 5]!,
      is_private: at % 2,
      deleted_at: at % 2 === 0 ? NOW : null,
    }));
  });

  const namesOf = async (order: 'asc' | 'desc', slice = { offset: 0, limit: 10 }, words = 'SAM') => {
    const { items, total, isComplete } = await searchUsersByRepositories(db, words, order, slice);
    assert.deepEqual([total, isComplete], [words.includes('\0') ? 0 : 4, true]);
    return items.map(({ username }) => username);
  };

  test('public repositories count, private and deleted ones do not', async () => {
    assert.deepEqual(await namesOf('desc'), ['sam-three', 'sam-two', 'sam-none', 'sam-hidden']);
    assert.deepEqual(await namesOf('asc'), ['sam-none', 'sam-hidden', 'sam-two', 'sam-three']);
  });

  test('pages go on where the one before them ended', async () => {
    assert.deepEqual(await namesOf('desc', { offset: 1, limit: 2 }), ['sam-two', 'sam-none']);
    assert.deepEqual(await namesOf('desc', { offset: 4, limit: 2 }), []);
  });

  test('words that PostgreSQL cannot store find nobody', async () => {
    assert.deepEqual(await namesOf('desc', undefined, 'a\0'), []);
  });
});
