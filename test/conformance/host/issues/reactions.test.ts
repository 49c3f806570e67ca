// Reactions on a running server: to issues, pull requests and comments, who gives and takes them, and what is refused.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json, TestServer } from '../../../server.ts';
import { createTestIssue, type TestIssue } from '../../../host-issues.ts';

onEachEngine((engine) => {
  let server: TestServer;
  /** Owns the repositories. */
  let ada: HostPerson;
  let bob: HostPerson;
  let repositories = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
  });
  after(() => server.stop());

  /** An issue, a pull request and a comment, each with the address of its reactions. */
  async function newSubjects(fields: Json = {}): Promise<{ issue: TestIssue; paths: string[] }> {
    repositories += 1;
    await ada.repository(`repo-${repositories}`, fields);
    const name = `ada/repo-${repositories}`;
    const issue = await createTestIssue(server, ada, name);
    const pull = await createTestIssue(server, ada, name, { isPull: true });
    const { id } = await expect(201, ada.post(`${issue.path}/comments`, { body: 'x' }));
    const comment = `/repos/${name}/issues/comments/${id}`;
    return { issue, paths: [issue.path, pull.path, comment].map((path) => `${path}/reactions`) };
  }

  const contentsOf = (json: unknown) =>
    (json as Json[]).map(({ content, user }) => `${user.login} ${content}`).join(', ');

  test('a reaction is new once, is listed and counted, and taken back by whoever gave it', async () => {
    const { issue, paths } = await newSubjects();
    for (const path of paths) {
      const created = await bob.post(path, { content: 'heart' });
      assert.equal(created.status, 201, created.text);
      assert.deepEqual([created.json['content'], created.json['user'].login], ['heart', 'bob']);
      const again = await bob.post(path, { content: 'heart' });
      assert.deepEqual([again.status, again.json], [200, created.json]);
      await expect(201, bob.post(path, { content: '+1' }));
      await expect(201, ada.post(path, { content: 'heart' }));
      const list = async (query = '') => (await server.call(`${path}${query}`, { token: null })).json;
      assert.equal(contentsOf(await list()), 'bob heart, bob +1, ada heart');
      assert.equal(contentsOf(await list('?content=heart')), 'bob heart, ada heart');
      assert.equal(contentsOf(await list('?content=%2B1')), 'bob +1');
      assert.equal(contentsOf(await list('?content=eyes')), '');
      assert.equal(contentsOf(await list('?per_page=1&page=3')), 'ada heart');
      const at = `${path}/${created.json['id']}`;
      await expect(403, ada.delete(at));
      await expect(401, server.call(at, { method: 'DELETE', token: null }));
      await expect(204, bob.delete(at));
      await expect(404, bob.delete(at));
      assert.equal(contentsOf(await list()), 'bob +1, ada heart');
    }
    assert.deepEqual((await issue.read()).reactions, { '+1': 1, heart: 1 });
    const { reactions } = await expect(200, bob.get(paths[2]!.replace(/\/reactions$/, '')));
    assert.deepEqual([reactions.total_count, reactions['+1'], reactions.heart], [2, 1, 1]);
    assert.equal(reactions.url, `${server.url}${paths[2]}`);
  });

  test('eight calls at once add one reaction of each content', async () => {
    const { paths } = await newSubjects();
    const path = paths[2]!;
    const contents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];
    const answers = await Promise.all(
      [...contents, ...contents].map((content) => bob.post(path, { content })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 8);
    assert.equal(answers.filter(({ status }) => status === 200).length, 8);
    const { reactions } = await expect(200, bob.get(path.replace(/\/reactions$/, '')));
    assert.deepEqual(
      [reactions.total_count, ...contents.map((content) => reactions[content])],
      [8, ...contents.map(() => 1)],
    );
  });

  test('contents are among eight words, and what is unknown is not found', async () => {
    const { paths } = await newSubjects();
    const reader = await giveToken(server, bob.member, { role: 'reader' });
    for (const path of paths) {
      for (const body of [{}, { content: 'love' }, { content: '' }, { content: 1 }, { content: null }]) {
        const answer = await bob.post(path, body);
        assert.equal(answer.status, 422, answer.text);
      }
      await expect(422, bob.get(`${path}?content=love`));
      await expect(401, server.call(path, { method: 'POST', body: { content: 'eyes' }, token: null }));
      await expect(
        403,
        server.call(path, { method: 'POST', body: { content: 'eyes' }, token: reader.value }),
      );
      await expect(404, bob.delete(`${path}/999999`));
      assert.deepEqual((await bob.get(path)).json, []);
    }
    // A reaction of another subject is none of this one.
    const { id } = await expect(201, bob.post(paths[0]!, { content: 'eyes' }));
    await expect(404, bob.delete(`${paths[1]}/${id}`));
    await expect(404, bob.delete(`${paths[2]}/${id}`));
    for (const path of [`/repos/ada/repo-${repositories}/issues/99`, '/repos/ada/nowhere/issues/1']) {
      await expect(404, bob.get(`${path}/reactions`));
      await expect(404, bob.post(`${path}/reactions`, { content: 'eyes' }));
    }
  });

  test('reactions in a private repository do not exist for others, and locked conversations take none', async () => {
    const hidden = await newSubjects({ private: true });
    for (const path of hidden.paths) {
      const { id } = await expect(201, ada.post(path, { content: 'eyes' }));
      await expect(404, bob.get(path));
      await expect(404, bob.post(path, { content: 'eyes' }));
      await expect(404, bob.delete(`${path}/${id}`));
    }
    const { issue, paths } = await newSubjects();
    await issue.lock();
    for (const path of [paths[0]!, paths[2]!]) {
      await expect(403, bob.post(path, { content: 'eyes' }));
      await expect(201, ada.post(path, { content: 'eyes' }));
    }
  });
});
