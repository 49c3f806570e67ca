// Forks of private repositories: they stay private, and follow the access of their owners to the source. On each engine.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let cid: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    cid = await joinHost(server, 'cid');
  });
  after(() => server.stop());

  const expect = (answer: Answer, status: number) => {
    assert.equal(answer.status, status, answer.text);
    return answer.text === '' ? {} : answer.json;
  };
  const admin = (method: string, path: string, body?: unknown) =>
    server.call(path, { method, ...(body !== undefined && { body }) });
  const namesIn = (answer: Answer) =>
    (expect(answer, 200) as unknown as Json[]).map((one) => one['full_name'] as string);

  /** A private repository of ada's that bob may read, and bob's fork of it. */
  async function share(name: string, more: Json = {}): Promise<string> {
    await ada.repository(name, { private: true, auto_init: true, ...more });
    expect(await ada.put(`/repos/ada/${name}/collaborators/bob`, { permission: 'pull' }), 204);
    expect(await bob.post(`/repos/ada/${name}/forks`), 202);
    return `/repos/bob/${name}`;
  }

  const FORKED = /A fork of a private repository stays private\./;

  test('a fork of a private repository cannot be published, by its owner or an administrator', async () => {
    const fork = await share('kept');
    for (const body of [{ private: false }, { visibility: 'public' }]) {
      for (const answer of [await bob.patch(fork, body), await admin('PATCH', fork, body)])
        assert.match(String(expect(answer, 422)['message']), FORKED);
    }
    assert.equal(expect(await bob.get(fork), 200)['private'], true);
    // Its history may have what was taken out of the source before that was published.
    expect(await ada.patch('/repos/ada/kept', { private: false }), 200);
    assert.equal(expect(await bob.get(fork), 200)['private'], true);
    assert.match(String(expect(await bob.patch(fork, { private: false }), 422)['message']), FORKED);
    expect(await cid.get(fork), 404);
  });

  test('a fork of a public repository is its own: it may be private and public, whatever its source becomes', async () => {
    await ada.repository('open', { auto_init: true });
    expect(await bob.post('/repos/ada/open/forks'), 202);
    expect(await ada.patch('/repos/ada/open', { private: true }), 200);
    expect(await cid.get('/repos/bob/open'), 200);
    expect(await bob.patch('/repos/bob/open', { private: true }), 200);
    assert.equal(expect(await bob.get('/repos/bob/open'), 200)['archived'], false);
    expect(await bob.patch('/repos/bob/open', { private: false }), 200);
  });

  test('who loses the source loses the fork; those who administer the source see it, archived; who regains it has it back', async () => {
    const fork = await share('lost');
    expect(await bob.put(`${fork}/collaborators/cid`, { permission: 'admin' }), 204);
    expect(await cid.get(fork), 200);
    expect(await ada.get(fork), 404);
    expect(await ada.delete('/repos/ada/lost/collaborators/bob'), 204);
    for (const person of [bob, cid]) {
      for (const path of ['', '/contents/README.md', '/commits', '/zipball', '/forks'])
        expect(await person.get(`${fork}${path}`), 404);
      expect(await person.patch(fork, { description: 'mine' }), 404);
      expect(await person.delete(fork), 404);
      assert.ok(!namesIn(await person.get('/user/repos?per_page=100')).includes('bob/lost'));
      const clone = await server.call('/bob/lost.git/info/refs?service=git-upload-pack', {
        token: null,
        headers: { authorization: `Basic ${Buffer.from(`x:${person.token}`).toString('base64')}` },
      });
      assert.equal(clone.status, 404, clone.text);
    }
    const seen = expect(await ada.get(fork), 200);
    assert.deepEqual([seen['archived'], seen['private'], seen['permissions'].push], [true, true, false]);
    expect(await ada.get(`${fork}/contents/README.md`), 200);
    assert.deepEqual(namesIn(await ada.get('/repos/ada/lost/forks')), ['bob/lost']);
    expect(await ada.delete(fork), 403);
    const write = { message: 'x', content: '' };
    expect(await ada.put(`${fork}/contents/new`, write), 403);
    expect(await admin('PUT', `${fork}/contents/new`, write), 403);
    expect(await admin('GET', fork), 200);
    expect(await ada.put('/repos/ada/lost/collaborators/bob', { permission: 'pull' }), 204);
    assert.equal(expect(await bob.get(fork), 200)['archived'], false);
    expect(await bob.put(`${fork}/contents/new`, write), 201);
    expect(await ada.get(fork), 404);
  });

  test('access by a team, an organization and an administrator counts, and ends', async () => {
    await createTestOrganization(server, 'mill', { admin: 'ada', members: ['bob', 'cid'] });
    const settings = { default_repository_permission: 'none', members_can_fork_private_repositories: true };
    expect(await ada.patch('/orgs/mill', settings), 200);
    expect(await ada.post('/orgs/mill/repos', { name: 'flour', private: true, auto_init: true }), 201);
    const top = expect(await ada.post('/orgs/mill/teams', { name: 'top', privacy: 'closed' }), 201);
    expect(
      await ada.post('/orgs/mill/teams', { name: 'low', privacy: 'closed', parent_team_id: top['id'] }),
      201,
    );
    expect(await ada.put('/orgs/mill/teams/top/repos/mill/flour', { permission: 'pull' }), 204);
    expect(await ada.put('/orgs/mill/teams/low/memberships/bob'), 200);
    expect(await bob.post('/repos/mill/flour/forks'), 202);
    const fork = '/repos/bob/flour';
    expect(await ada.delete('/orgs/mill/teams/low/memberships/bob'), 204);
    expect(await bob.get(fork), 404);
    expect(await ada.get(fork), 200);
    expect(await ada.patch('/orgs/mill', { default_repository_permission: 'read' }), 200);
    expect(await bob.get(fork), 200);
    expect(await ada.delete('/orgs/mill/members/bob'), 204);
    expect(await bob.get(fork), 404);
    // What an organization administers is seen by its owners, and not by its members.
    expect(await cid.get(fork), 404);
    expect(await ada.get(fork), 200);
    const chief = await joinHost(server, 'chief', { role: 'admin' });
    expect(await chief.post('/repos/mill/flour/forks'), 202);
    assert.equal(expect(await chief.get('/repos/chief/flour'), 200)['archived'], false);
  });

  test('a fork of a fork follows the first of them, and needs access to it', async () => {
    const fork = await share('root');
    expect(await bob.put(`${fork}/collaborators/cid`, { permission: 'pull' }), 204);
    const refused = await cid.post(`${fork}/forks`);
    assert.match(String(expect(refused, 403)['message']), /needs an owner who may read its source/);
    expect(await ada.put('/repos/ada/root/collaborators/cid', { permission: 'pull' }), 204);
    expect(await cid.post(`${fork}/forks`), 202);
    expect(await ada.delete('/repos/ada/root/collaborators/cid'), 204);
    expect(await cid.get('/repos/cid/root'), 404);
    expect(await bob.get('/repos/cid/root'), 404);
    expect(await ada.get('/repos/cid/root'), 200);
    expect(await bob.get(fork), 200);
  });

  test('a fork that is withheld leaves the lists of teams', async () => {
    const fork = await share('listed');
    await createTestOrganization(server, 'yard', { admin: 'bob', members: ['cid'] });
    expect(await bob.post(`${fork}/transfer`, { new_owner: 'yard' }), 202);
    const team = { name: 'all', privacy: 'closed', repo_names: ['yard/listed'] };
    expect(await bob.post('/orgs/yard/teams', team), 201);
    const listed = async (person: HostPerson) => namesIn(await person.get('/orgs/yard/teams/all/repos'));
    for (const person of [bob, cid]) assert.deepEqual(await listed(person), ['yard/listed']);
    expect(await ada.delete('/repos/ada/listed/collaborators/bob'), 204);
    for (const person of [bob, cid]) assert.deepEqual(await listed(person), []);
  });

  test('an app whose token lacks the permission of a route compares with public repositories only', async () => {
    await ada.repository('known', { auto_init: true });
    expect(await bob.post('/repos/ada/known/forks'), 202);
    expect(await bob.patch('/repos/bob/known', { private: true }), 200);
    const app = await makeApp(server, 'bob', { name: 'Differ', permissions: { contents: 'read' } });
    const installation = await app.install('bob');
    const compare = async (permissions: Json) => {
      const token = await app.token(installation, { permissions });
      return (await server.call('/repos/ada/known/compare/main...bob:main', { token })).status;
    };
    assert.equal(await compare({ contents: 'read' }), 200);
    assert.equal(await compare({ metadata: 'read' }), 404);
  });

  test('a fork that goes to an organization follows the access of those who own that', async () => {
    const fork = await share('carried');
    await createTestOrganization(server, 'depot', { admin: 'bob', members: ['cid'] });
    expect(await bob.post(`${fork}/transfer`, { new_owner: 'depot' }), 202);
    expect(await bob.get('/repos/depot/carried'), 200);
    assert.match(
      String(expect(await bob.patch('/repos/depot/carried', { private: false }), 422)['message']),
      FORKED,
    );
    expect(await ada.delete('/repos/ada/carried/collaborators/bob'), 204);
    for (const person of [bob, cid]) expect(await person.get('/repos/depot/carried'), 404);
    expect(await ada.get('/repos/depot/carried'), 200);
  });

  test('the forks of a deleted repository stay with those who could read it then, and private', async () => {
    const kept = await share('ends');
    expect(await ada.put('/repos/ada/ends/collaborators/cid', { permission: 'pull' }), 204);
    expect(await cid.post('/repos/ada/ends/forks'), 202);
    expect(await ada.delete('/repos/ada/ends/collaborators/cid'), 204);
    expect(await ada.delete('/repos/ada/ends'), 204);
    expect(await bob.get(kept), 200);
    expect(await bob.patch(kept, { private: false }), 422);
    expect(await cid.get('/repos/cid/ends'), 404);
    expect(await admin('GET', '/repos/cid/ends'), 200);
  });

  test('a fork of a private repository has no objects that no reference leads to', async () => {
    await ada.repository('history', { private: true, auto_init: true });
    const path = '/repos/ada/history';
    const loose = expect(await ada.post(`${path}/git/blobs`, { content: 'never committed' }), 201);
    const file = { message: 'secret', content: Buffer.from('taken back').toString('base64') };
    const first = expect(await ada.get(`${path}/git/ref/heads/main`), 200)['object'].sha;
    const written = expect(await ada.put(`${path}/contents/secret`, file), 201);
    const back = await ada.patch(`${path}/git/refs/heads/main`, { sha: first, force: true });
    expect(back, 200);
    expect(await ada.put(`${path}/collaborators/bob`, { permission: 'pull' }), 204);
    expect(await bob.post(`${path}/forks`), 202);
    expect(await bob.get('/repos/bob/history/contents/README.md'), 200);
    for (const sha of [loose['sha'], written['content'].sha])
      expect(await bob.get(`/repos/bob/history/git/blobs/${sha}`), 404);
    expect(await bob.get(`/repos/bob/history/git/commits/${written['commit'].sha}`), 404);
    expect(await bob.get(`/repos/bob/history/git/commits/${first}`), 200);
  });

  test('who only reads a private template gets a private repository from it', async () => {
    await ada.repository('mould', { private: true, auto_init: true, is_template: true });
    expect(await ada.put('/repos/ada/mould/collaborators/bob', { permission: 'push' }), 204);
    const generate = (who: HostPerson, name: string, more: Json = {}) =>
      who.post('/repos/ada/mould/generate', { name, ...more });
    const refused = await generate(bob, 'cast', { private: false });
    assert.match(expect(refused, 422) && refused.text, /only those who administer a private template/);
    assert.equal(expect(await generate(bob, 'cast'), 201)['private'], true);
    const message = expect(await bob.patch('/repos/bob/cast', { private: false }), 422)['message'];
    assert.match(String(message), /A repository from a private template stays private\./);
    assert.equal(expect(await generate(ada, 'shown'), 201)['private'], false);
  });
});
