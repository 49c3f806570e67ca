// Who is named as a co-author of a squash: each person once, and never its author.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { somebody } from '../git/fixture-repository.ts';
import { listCoAuthors } from './squashed-commits.ts';

onEachEngine((engine) => {
  const commit = (name: string, email: string, message = 'x') => ({
    author: { ...somebody, name, email },
    message,
  });

  test('authors of commits and those whom these name are co-authors once, without the author of the squash', async () => {
    const { db } = await engine.openMigrated();
    const named = await listCoAuthors(
      { db },
      [
        commit('Ada', 'ADA@x.test'),
        commit(
          'Bob',
          'bob@x.test',
          'Title\n\nco-authored-by: Cleo C. <cleo@x.test>\nCo-Authored-By: Bob <bob@x.test>',
        ),
        commit('Robert', 'Bob@x.test'),
        commit('', 'dan@x.test'),
        commit('No Address', ''),
      ],
      { email: 'ada@x.test', accountId: 'ada' },
    );
    assert.deepEqual(named, ['Bob <bob@x.test>', 'Cleo C. <cleo@x.test>', 'dan@x.test <dan@x.test>']);
  });

  test('hostile names add no lines, and of very many people the first are named', async () => {
    const { db } = await engine.openMigrated();
    const author = { email: 'ada@x.test', accountId: null };
    const hostile = commit('Eve\nSigned-off-by: Ada <ada@x.test>', 'eve>\n@x.test');
    assert.deepEqual(await listCoAuthors({ db }, [hostile], author), [
      'EveSigned-off-by: Ada ada@x.test <eve@x.test>',
    ]);
    const many = Array.from({ length: 150 }, (_, index) => commit('N', `n${index}@x.test`));
    assert.equal((await listCoAuthors({ db }, many, author)).length, 100);
  });
});
