// An import into an account that has something of the same name.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import { makeFolder } from '../../fixture.ts';
import {
  giveActor,
  giveItems,
  giveRecords,
  importActors,
  listItems,
  must,
  onTwoServers,
  post,
  sourceFile,
  type Summary,
} from './fixture.ts';

onEachEngine((engine) => {
  const ends = onTwoServers(engine);

  describe('what is there already', () => {
    test('is kept and reported where it differs, and replaced with --overwrite', async () => {
      await giveActor(ends.from, 'twin');
      await giveRecords(ends.from, 'notes', 1);
      await giveItems(ends.from, 'numbers', 3);
      await giveActor(ends.to, 'twin', { title: 'Mine' });
      await post(ends.to, '/key-value-stores?name=notes');
      await must(ends.to, '/key-value-stores/~notes/records/page-0000', { method: 'PUT', body: '"mine"' });
      await must(ends.to, '/key-value-stores/~notes/records/own', { method: 'PUT', body: '"mine"' });
      await post(ends.to, '/datasets?name=numbers');
      await post(ends.to, '/datasets/~numbers/items', [{ n: 'mine' }]);
      const first = await importActors(ends.from, ends.to, ends.data);
      assert.equal(first.code, 1);
      const reasons = (summary: Summary) =>
        summary.things
          .filter(({ outcome }) => outcome === 'kept')
          .map(({ name, reason }) => `${name}: ${reason}`);
      assert.deepEqual(reasons(first.summary), [
        'twin: differs in title',
        'notes: 2 records; differs in page-0000',
        'numbers: has other items than the source',
      ]);
      assert.equal((await must(ends.to, '/actors/~twin')).json.data.title, 'Mine');
      assert.equal((await must(ends.to, '/key-value-stores/~notes/records/page-0000')).text, '"mine"');

      const second = await importActors(ends.from, ends.to, ends.data, '--overwrite');
      // Items cannot be replaced.
      assert.deepEqual(reasons(second.summary), ['numbers: has other items than the source']);
      assert.equal((await must(ends.to, '/actors/~twin')).json.data.title, 'The twin');
      assert.equal((await must(ends.to, '/key-value-stores/~notes/records/page-0000')).text, '{"index":0}');
      assert.equal((await must(ends.to, '/key-value-stores/~notes/records/own')).text, '"mine"');
      assert.deepEqual(await listItems(ends.to, 'numbers'), [{ n: 'mine' }]);
    });

    test('gets the versions and variables that it lacks, and its secrets stay', async () => {
      const id = await giveActor(ends.from, 'grown');
      await importActors(ends.from, ends.to, ends.data, '--only', 'actors');
      const there = `/actors/~grown/versions/0.1/env-vars`;
      await post(ends.to, there, { name: 'HIDDEN', value: 'set by hand', isSecret: true });
      await post(ends.from, `/actors/${id}/versions/0.1/env-vars`, { name: 'LATER', value: '1' });
      await post(ends.from, `/actors/${id}/versions`, {
        versionNumber: '0.2',
        sourceType: 'SOURCE_FILES',
        sourceFiles: [sourceFile('main.js', '2')],
      });
      const { summary, err } = await importActors(ends.from, ends.to, ends.data, '--only', 'actors');
      assert.match(err, /^Actor grown: changed \(version 0\.1 \(LATER\), version 0\.2\)$/m);
      assert.doesNotMatch(summary.toDo.join(), /grown, version 0\.1/);
      const { data: grown } = (await must(ends.to, '/actors/~grown')).json;
      assert.deepEqual(
        grown.versions[0].envVars.map(({ name }: { name: string }) => name),
        ['PLAIN', 'HIDDEN', 'LATER'],
      );
    });

    test('a dataset that has gone on by itself is left alone', async () => {
      await giveItems(ends.from, 'growing', 5);
      await importActors(ends.from, ends.to, ends.data, '--only', 'datasets');
      await post(ends.to, '/datasets/~growing/items', [{ n: 'mine' }]);
      const { summary } = await importActors(ends.from, ends.to, makeFolder(), '--only', 'datasets');
      assert.equal(summary.counts.datasets.created, 0);
      assert.equal((await listItems(ends.to, 'growing')).length, 6);
    });
  });
});
