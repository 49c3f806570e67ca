// Reads of issues and repositories that are repeated: every change shows in the next one, on another node too, and nobody sees the reply of another.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import type { Answer, Json } from '../../server.ts';
import { startNodes, type Nodes } from '../../suites.ts';

onEachEngine((engine) => {
  let nodes: Nodes;
  let ada: HostPerson;
  let bob: HostPerson;
  before(async () => {
    nodes = await startNodes(engine);
    [ada, bob] = await Promise.all([joinHost(nodes.server, 'ada'), joinHost(nodes.server, 'bob')]);
  });
  after(() => nodes.stop());

  /** By Ada, on the other node where there is one. */
  async function change(method: string, path: string, body?: unknown): Promise<Json> {
    const init = { method, token: ada.token, ...(body !== undefined && { body }) };
    const answer = await (nodes.other ?? nodes.server).call(path, init);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.status === 204 ? {} : answer.json;
  }

  /** Twice, so that it is kept where anything is. */
  async function read(person: HostPerson, path: string): Promise<Answer> {
    await person.get(path);
    return await person.get(path);
  }

  async function newRepository(name: string, fields: Json = {}): Promise<string> {
    await change('POST', '/user/repos', { name, auto_init: true, ...fields });
    await change('POST', `/repos/ada/${name}/issues`, { title: 'First', body: 'Text', labels: ['bug'] });
    return `/repos/ada/${name}`;
  }

  test('an issue and the list that it is in follow all that they show', async () => {
    const repository = await newRepository('followed');
    const path = `${repository}/issues/1`;
    const list = `${repository}/issues?per_page=30`;
    const expect = async (value: unknown, of: (issue: Json) => unknown) => {
      assert.deepEqual(of((await read(bob, path)).json), value);
      assert.deepEqual(of(((await read(bob, list)).json as unknown as Json[]).at(-1)!), value);
    };
    await expect('First', ({ title }) => title);
    await change('PATCH', path, { title: 'Second' });
    await expect('Second', ({ title }) => title);
    await change('PATCH', `${repository}/labels/bug`, { new_name: 'defect' });
    await expect(['defect'], ({ labels }) => (labels as Json[]).map(({ name }) => name as string));
    await change('DELETE', `${repository}/labels/defect`);
    await expect([], ({ labels }) => labels as Json[]);
    const { number } = await change('POST', `${repository}/milestones`, { title: 'Soon' });
    await change('PATCH', path, { milestone: number });
    await expect('Soon', ({ milestone }) => milestone?.title);
    await change('PATCH', `${repository}/milestones/${number}`, { title: 'Later' });
    await expect('Later', ({ milestone }) => milestone?.title);
    await change('POST', `${path}/assignees`, { assignees: ['ada'] });
    await expect('ada', ({ assignee }) => assignee?.login);
    await change('POST', `${path}/comments`, { body: 'Indeed' });
    await expect(1, ({ comments }) => comments as number);
    await change('POST', `${path}/reactions`, { content: 'heart' });
    await expect(1, ({ reactions }) => reactions.heart as number);
    await change('PUT', `${path}/lock`, {});
    await expect(true, ({ locked }) => locked as boolean);
    const { id } = await change('POST', `${repository}/issues`, { title: 'Part' });
    await change('POST', `${path}/sub_issues`, { sub_issue_id: id });
    await expect(1, ({ sub_issues_summary: summary }) => summary.total as number);
    assert.equal(((await read(bob, list)).json as unknown as Json[]).length, 2);
    await change('PATCH', path, { state: 'closed' });
    assert.equal((await read(bob, path)).json['state'], 'closed');
    assert.equal(((await read(bob, list)).json as unknown as Json[]).length, 1);
  });

  test('the association of an author follows the collaborators', async () => {
    const repository = await newRepository('associated');
    const { json } = await bob.post(`${repository}/issues`, { title: 'From outside' });
    const path = `${repository}/issues/${json['number']}`;
    assert.equal((await read(ada, path)).json['author_association'], 'NONE');
    await change('PUT', `${repository}/collaborators/bob`, { permission: 'push' });
    const invitations = (await bob.get('/user/repository_invitations')).json as unknown as Json[];
    for (const { id } of Array.isArray(invitations) ? invitations : [])
      await bob.patch(`/user/repository_invitations/${id}`);
    assert.equal((await read(ada, path)).json['author_association'], 'COLLABORATOR');
  });

  test('a renamed user is shown by the new name', async () => {
    const repository = await newRepository('renamed-user');
    const eve = await joinHost(nodes.server, 'eve');
    const { json } = await eve.post(`${repository}/issues`, { title: 'By Eve' });
    const path = `${repository}/issues/${json['number']}`;
    assert.equal((await read(bob, path)).json['user'].login, 'eve');
    const { kernel } = (nodes.other ?? nodes.server).app;
    await kernel.db.updateTable('members').set({ username: 'eva' }).where('id', '=', eve.member.id).execute();
    assert.equal((await read(bob, path)).json['user'].login, 'eva');
  });

  test('a repository that becomes private is gone for others in the next call, and back when it is public', async () => {
    const repository = await newRepository('hiding');
    for (const path of [repository, `${repository}/issues/1`, `${repository}/issues`]) {
      const anonymous = async () => (await nodes.server.call(path, { token: null })).status;
      assert.equal((await read(bob, path)).status, 200);
      assert.deepEqual([await anonymous(), await anonymous()], [200, 200]);
      await change('PATCH', repository, { private: true });
      // Other nodes hear of it a moment later, because the repository itself is cached.
      if (nodes.other === undefined) {
        assert.equal((await bob.get(path)).status, 404);
        assert.equal(await anonymous(), 404);
        assert.equal((await read(ada, path)).status, 200);
      }
      await change('PATCH', repository, { private: false });
    }
  });

  test('what a private repository shows to its owner is shown to nobody else, and not to a collaborator who was removed', async () => {
    const repository = await newRepository('private', { private: true });
    const path = `${repository}/issues/1`;
    assert.equal((await read(ada, path)).status, 200);
    assert.equal((await bob.get(path)).status, 404);
    assert.equal((await nodes.server.call(path, { token: null })).status, 404);
    const { kernel } = nodes.server.app;
    const { json } = await ada.get(repository);
    const row = { repository_number: json['id'] as number, account_id: bob.member.id };
    await kernel.db
      .insertInto('collaborators')
      .values({ ...row, role: 'read', created_at: kernel.clock.now() })
      .execute();
    assert.equal((await read(bob, path)).status, 200);
    await change('DELETE', `${repository}/collaborators/bob`);
    assert.equal((await bob.get(path)).status, 404);
  });

  test('a repository follows its settings, stars, name and owner', async () => {
    const repository = await newRepository('settled');
    assert.equal((await read(bob, repository)).json['description'], null);
    await change('PATCH', repository, { description: 'Now with words' });
    if (nodes.other === undefined) {
      assert.equal((await read(bob, repository)).json['description'], 'Now with words');
      await bob.put('/user/starred/ada/settled');
      assert.equal((await read(ada, repository)).json['stargazers_count'], 1);
      await change('PATCH', repository, { has_issues: false });
      assert.equal((await bob.get(`${repository}/issues/1`)).status, 410);
      await change('PATCH', repository, { has_issues: true, name: 'moved' });
      assert.equal((await bob.get(`${repository}/issues/1`)).status, 301);
      const issue = '/repos/ada/moved/issues/1';
      assert.equal((await read(bob, issue)).status, 200);
      const body = { new_owner: 'bob' };
      await nodes.server.call('/repos/ada/moved/transfer', { method: 'POST', body });
      assert.equal((await bob.get(issue)).status, 301);
      assert.equal((await read(bob, '/repos/bob/moved')).json['owner'].login, 'bob');
    }
  });

  test('the caller follows their profile, and a token that is revoked reads nothing', async () => {
    const zoe = await joinHost(nodes.server, 'zoe');
    assert.equal((await read(zoe, '/user')).json['bio'], null);
    await zoe.patch('/user', { bio: 'Reads a lot' });
    assert.equal((await read(zoe, '/user')).json['bio'], 'Reads a lot');
    const { kernel } = nodes.server.app;
    await kernel.db.deleteFrom('tokens').where('member_id', '=', zoe.member.id).execute();
    await kernel.identity.invalidate();
    assert.equal((await zoe.get('/user')).status, 401);
  });
});
