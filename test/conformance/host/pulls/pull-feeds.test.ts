// Feeds show what happens to pull requests, and lists find them by the owner of their branch: as both are now, to those who may see them now.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    eve = await joinHost(server, 'eve');
  });
  after(() => server.stop());

  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.status === 204 ? {} : got.json;
  };

  async function write(who: HostPerson, at: string, branch: string): Promise<string> {
    const body = { message: 'Add', content: Buffer.from('x\n').toString('base64'), branch };
    return (await ok(who.put(`${at}/contents/new.txt`, body)))['commit'].sha as string;
  }

  async function fork(at: string): Promise<string> {
    await ok(bob.post(`${at}/forks`, {}));
    const own = at.replace('/ada/', '/bob/');
    await eventually(async () => (await bob.get(`${own}/git/ref/heads/main`)).status === 200, 'the fork');
    await write(bob, own, 'main');
    return own;
  }

  async function pullsIn(person: HostPerson, path: string): Promise<Json[]> {
    const events = (await ok(person.get(path))) as unknown as Json[];
    return events.filter(({ type }) => type === 'PullRequestEvent').map(({ payload }) => payload as Json);
  }

  test('what happens to a pull request is in the feeds of its repository and of who does it', async () => {
    const at = '/repos/ada/fed';
    await ada.repository('fed', { auto_init: true });
    const { object } = await ok(ada.get(`${at}/git/ref/heads/main`));
    await ok(ada.post(`${at}/git/refs`, { ref: 'refs/heads/feature', sha: object.sha }));
    const sha = await write(ada, at, 'feature');
    await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    await ok(ada.patch(`${at}/pulls/1`, { title: 'B' }));
    await ok(ada.post(`${at}/issues/1/labels`, { labels: ['bug'] }));
    await ok(ada.post(`${at}/issues/1/assignees`, { assignees: ['ada'] }));
    await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
    await ok(ada.patch(`${at}/pulls/1`, { state: 'open' }));
    await ok(ada.patch(`${at}/git/refs/heads/main`, { sha }));
    const expected = 'merged reopened closed assigned labeled opened'.split(' ');
    await eventually(async () => (await ok(ada.get(`${at}/pulls/1`)))['merged'], 'the merge');
    for (const path of [`${at}/events`, '/users/ada/events'])
      assert.deepEqual(
        (await pullsIn(eve, path)).map(({ action }) => action),
        expected,
      );
    const [merged, , , assigned, labeled] = await pullsIn(eve, `${at}/events`);
    const { number, pull_request: pull } = merged!;
    assert.deepEqual([number, pull.number, pull.head.ref, pull.head.sha], [1, 1, 'feature', sha]);
    assert.deepEqual([pull.head.repo.name, pull.base.repo.id], ['fed', (await ok(ada.get(at)))['id']]);
    assert.deepEqual([labeled!['label'].name, labeled!['labels'].length], ['bug', 1]);
    assert.deepEqual([assigned!['assignee'].login, assigned!['assignees'].length], ['ada', 1]);
    await ok(ada.patch(at, { has_pull_requests: false }));
    assert.deepEqual(await pullsIn(eve, `${at}/events`), []);
  });

  test('a feed does not name a fork that is gone, and lists find a fork by its new owner', async () => {
    const at = '/repos/ada/forked';
    await ada.repository('forked', { auto_init: true });
    const own = await fork(at);
    await ok(bob.post(`${at}/pulls`, { title: 'A', head: 'bob:main', base: 'main' }));
    const [opened] = await pullsIn(eve, `${at}/events`);
    assert.equal(opened!['pull_request'].head.repo.url.endsWith(own), true);
    await createTestOrganization(server, 'guild', { admin: 'bob', members: [] });
    await ok(bob.post(`${own}/transfer`, { new_owner: 'guild' }));
    const found = async (head: string) => (await ada.get(`${at}/pulls?head=${head}`)).json.length as number;
    await eventually(async () => (await found('guild:main')) === 1, 'the transfer');
    assert.equal(await found('bob:main'), 0);
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['head'].label, 'guild:main');
    await ok(bob.delete(own.replace('/bob/', '/guild/')));
    const [left] = await pullsIn(eve, `${at}/events`);
    assert.deepEqual([left!['action'], left!['pull_request'].head.repo], ['opened', null]);
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['head'].label, 'guild:main');
  });
});
