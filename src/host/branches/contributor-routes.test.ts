// The count of contributors, which concurrent calls share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCommit, needsGit, startGit } from '../git/fixture-repository.ts';
import { countContributors, openContributors } from './contributor-routes.ts';

test('a caller who leaves does not end the count that another one waits for', needsGit, async () => {
  const { git, stop } = await startGit();
  try {
    const repository = await git.createRepository(1, 'main');
    const tip = await addCommit(repository, { a: '1' });
    const services = { git, contributors: openContributors() };
    const leaving = new AbortController();
    const first = countContributors(services, git.repository(1, leaving.signal), tip).catch(() => undefined);
    const second = countContributors(services, git.repository(1), tip);
    leaving.abort();
    assert.deepEqual(await second, [{ name: 'Some Body', email: 'some@body.test', commits: 1 }]);
    await first;
  } finally {
    await stop();
  }
});
