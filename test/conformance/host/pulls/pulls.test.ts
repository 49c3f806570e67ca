// Pull requests on a running server: opened, listed, read and changed, from branches and from forks.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;
  let place = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    eve = await joinHost(server, 'eve');
  });
  after(() => server.stop());

  /** A repository of ada with a branch `feature` that adds a file. */
  async function newRepository(fields: Json = {}): Promise<string> {
    place += 1;
    const name = `pulls-${place}`;
    await ada.repository(name, { auto_init: true, ...fields });
    await branch(ada, `/repos/ada/${name}`, 'feature');
    await write(ada, `/repos/ada/${name}`, 'feature', 'new.txt', 'one\n');
    return `/repos/ada/${name}`;
  }

  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.status === 204 ? {} : got.json;
  };

  const shaOf = async (at: string, ref: string): Promise<string> =>
    (await ok(ada.get(`${at}/git/ref/heads/${ref}`)))['object'].sha;

  async function branch(who: HostPerson, at: string, name: string, from = 'main'): Promise<void> {
    const sha = (await ok(who.get(`${at}/git/ref/heads/${from}`)))['object'].sha;
    await ok(who.post(`${at}/git/refs`, { ref: `refs/heads/${name}`, sha }));
  }

  async function write(who: HostPerson, at: string, to: string, path: string, text: string): Promise<string> {
    const content = Buffer.from(text).toString('base64');
    const body = { message: `Add ${path}`, content, branch: to };
    return (await ok(who.put(`${at}/contents/${path}`, body)))['commit'].sha;
  }

  async function fork(who: HostPerson, at: string): Promise<string> {
    await ok(who.post(`${at}/forks`, {}));
    const own = at.replace('/ada/', `/${who.login}/`);
    await eventually(async () => (await who.get(`${own}/git/ref/heads/main`)).status === 200, 'the fork');
    return own;
  }

  const FEATURE = { title: 'A feature', head: 'feature', base: 'main' };
  const errorOf = ({ status, json }: Answer) => [status, json['errors']?.[0]];

  test('a pull request is opened, read, listed and changed', async () => {
    const at = await newRepository();
    const created = await ada.post(`${at}/pulls`, { ...FEATURE, body: 'Some **words**', draft: true });
    assert.equal(created.status, 201, created.text);
    const pull = created.json;
    assert.equal(created.headers.get('location'), pull['url']);
    assert.deepEqual(
      [
        pull['number'],
        pull['state'],
        pull['draft'],
        pull['commits'],
        pull['additions'],
        pull['changed_files'],
      ],
      [1, 'open', true, 1, 1, 1],
    );
    assert.deepEqual([pull['head'].label, pull['base'].label], ['ada:feature', 'ada:main']);
    assert.equal(pull['head'].sha, await shaOf(at, 'feature'));
    assert.deepEqual((await ok(ada.get(`${at}/pulls/1`)))['title'], 'A feature');
    const { json: list } = await server.call(`${at}/pulls`, { token: null });
    assert.deepEqual(
      list.map((one: Json) => one['number']),
      [1],
    );
    assert.equal((await ok(ada.get(at)))['open_issues_count'], 1);
    const edited = await ok(ada.patch(`${at}/pulls/1`, { title: 'Better', body: null }));
    assert.deepEqual([edited['title'], edited['body']], ['Better', null]);
    const characters = await ok(ada.patch(`${at}/pulls/1`, { title: '😀'.repeat(256) }));
    assert.equal(characters['title'], '😀'.repeat(256));
    const longer = await ada.patch(`${at}/pulls/1`, { title: '😀'.repeat(257) });
    assert.equal(longer.json['errors'][0].message, 'title is too long (maximum is 256 characters)');
    const closed = await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
    assert.deepEqual([closed['state'], closed['merged']], ['closed', false]);
    assert.deepEqual((await ada.get(`${at}/pulls`)).json, []);
    assert.equal((await ok(ada.get(at)))['open_issues_count'], 0);
    assert.equal((await ok(ada.patch(`${at}/pulls/1`, { state: 'open' })))['closed_at'], null);
    assert.equal((await ada.get(`${at}/pulls/1/merge`)).status, 404);
    assert.equal((await ada.get(`${at}/pulls/2`)).status, 404);
  });

  test('its commits, files and texts are those that the branch has and the base has not', async () => {
    const at = await newRepository();
    await ok(ada.post(`${at}/pulls`, FEATURE));
    const { json: commits } = await ada.get(`${at}/pulls/1/commits`);
    assert.deepEqual(
      commits.map((one: Json) => one['commit'].message),
      ['Add new.txt'],
    );
    const { json: files } = await ada.get(`${at}/pulls/1/files`);
    assert.deepEqual(
      files.map((one: Json) => [one['filename'], one['status'], one['patch']]),
      [['new.txt', 'added', '@@ -0,0 +1 @@\n+one']],
    );
    const accept = (type: string) => ada.call(`${at}/pulls/1`, { headers: { accept: type } });
    assert.match((await accept('application/vnd.github.diff')).text, /^diff --git a\/new.txt b\/new.txt/);
    assert.match((await accept('application/vnd.github.patch')).text, /^From [0-9a-f]{40} /);
    const { json: of } = await ada.get(`${at}/commits/${commits[0].sha}/pulls`);
    assert.deepEqual(
      of.map((one: Json) => one['number']),
      [1],
    );
    const main = await shaOf(at, 'main');
    assert.deepEqual((await ada.get(`${at}/commits/${main}/pulls`)).json, []);
    assert.equal((await ada.get(`${at}/commits/${'1'.repeat(40)}/pulls`)).status, 422);
  });

  test('branches without anything to merge, and such that do not exist, are refused', async () => {
    const at = await newRepository();
    await branch(ada, at, 'same');
    const custom = (message: string) => [422, { resource: 'PullRequest', code: 'custom', message }];
    const invalid = (field: string) => [
      422,
      { resource: 'PullRequest', field, code: 'invalid', message: `${field} is invalid` },
    ];
    for (const [sent, expected] of [
      [{ head: 'same' }, custom('No commits between main and same')],
      [{ head: 'main' }, custom('No commits between main and main')],
      [{ head: 'missing' }, invalid('head')],
      [{ head: 'a:b:c' }, invalid('head')],
      [{ base: 'missing' }, invalid('base')],
      [{ head: 'nobody:feature' }, custom('not all refs are readable')],
      [{ head: 'feature', head_repo: 'ada/missing' }, custom('not all refs are readable')],
    ] as const)
      assert.deepEqual(errorOf(await ada.post(`${at}/pulls`, { ...FEATURE, ...sent })), expected);
    const untitled = await ada.post(`${at}/pulls`, { head: 'feature', base: 'main' });
    assert.deepEqual([untitled.status, untitled.json['errors'][0].code], [422, 'missing_field']);
    const long = await ada.post(`${at}/pulls`, { ...FEATURE, body: 'x'.repeat(65_537) });
    assert.deepEqual(errorOf(long), [
      422,
      {
        resource: 'PullRequest',
        field: 'body',
        code: 'custom',
        message: 'body is too long (maximum is 65536 characters)',
      },
    ]);
    assert.equal((await ada.post(`${at}/pulls`, { ...FEATURE, title: 7 })).status, 422);
    assert.equal(
      (await server.call(`${at}/pulls`, { method: 'POST', body: FEATURE, token: null })).status,
      401,
    );
    assert.equal((await ok(ada.get(at)))['open_issues_count'], 0);
    assert.equal((await ok(ada.post(`${at}/pulls`, FEATURE)))['number'], 1);
    const again = await ada.post(`${at}/pulls`, FEATURE);
    assert.deepEqual(errorOf(again), custom('A pull request already exists for ada:feature.'));
  });

  test('eight who open the same pull request at once open one', async () => {
    const at = await newRepository();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.post(`${at}/pulls`, FEATURE)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, ...Array(7).fill(422)],
    );
    assert.equal((await ada.get(`${at}/pulls?state=all`)).json.length, 1);
  });

  test('a pull request of a fork brings its commits; who may write neither side opens none', async () => {
    const at = await newRepository();
    const own = await fork(bob, at);
    const sha = await write(bob, own, 'main', 'fork.txt', 'x\n');
    const sent = { title: 'From a fork', head: 'bob:main', base: 'main' };
    assert.deepEqual(errorOf(await eve.post(`${at}/pulls`, sent)), [
      422,
      { resource: 'PullRequest', code: 'custom', message: 'must be a collaborator' },
    ]);
    assert.equal((await ada.get(`${at}/git/commits/${sha}`)).status, 404);
    const pull = await ok(bob.post(`${at}/pulls`, sent));
    assert.deepEqual(
      [pull['head'].repo.full_name, pull['maintainer_can_modify'], pull['user'].login],
      [own.replace('/repos/', ''), true, 'bob'],
    );
    assert.equal((await ada.get(`${at}/git/commits/${sha}`)).status, 200);
    assert.equal((await ada.get(`${at}/pulls?head=bob:main`)).json.length, 1);
    assert.equal((await ada.get(`${at}/pulls?head=ada:main`)).json.length, 0);
    const next = await write(bob, own, 'main', 'more.txt', 'x\n');
    await eventually(async () => (await ok(ada.get(`${at}/pulls/1`)))['head'].sha === next, 'the push');
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['commits'], 2);
    assert.equal((await bob.delete(own)).status, 204);
    const left = await ok(ada.get(`${at}/pulls/1`));
    assert.deepEqual([left['state'], left['head'].repo, left['head'].label], ['open', null, 'bob:main']);
    assert.equal((await ada.get(`${at}/pulls/1/files`)).json.length, 2);
  });

  test('a private repository has no pull requests for others, and a private fork is not disclosed', async () => {
    const at = await newRepository({ private: true });
    await ok(ada.post(`${at}/pulls`, FEATURE));
    for (const path of ['/pulls', '/pulls/1', '/pulls/1/commits', '/pulls/1/files', '/pulls/1/merge'])
      for (const token of [eve.token, null])
        assert.equal((await server.call(at + path, { token })).status, 404, path);
    assert.equal((await eve.post(`${at}/pulls`, FEATURE)).status, 404);
    assert.equal((await eve.patch(`${at}/pulls/1`, { title: 'x' })).status, 404);
    const open = await newRepository();
    const absent = await eve.post(`${open}/pulls`, { ...FEATURE, head: 'nobody:feature' });
    const hidden = { ...FEATURE, head: 'feature', head_repo: at.replace('/repos/', '') };
    assert.deepEqual((await eve.post(`${open}/pulls`, hidden)).json, absent.json);
  });

  test('only authors and writers change a pull request', async () => {
    const at = await newRepository();
    const own = await fork(bob, at);
    await write(bob, own, 'main', 'fork.txt', 'x\n');
    await ok(bob.post(`${at}/pulls`, { title: 'Mine', head: 'bob:main', base: 'main' }));
    assert.equal((await eve.patch(`${at}/pulls/1`, { title: 'x' })).status, 403);
    assert.equal((await eve.patch(`${at}/pulls/1`, { state: 'closed' })).status, 403);
    assert.equal(
      (await ok(bob.patch(`${at}/pulls/1`, { maintainer_can_modify: false })))['maintainer_can_modify'],
      false,
    );
    const refused = await ada.patch(`${at}/pulls/1`, { maintainer_can_modify: true });
    assert.deepEqual([refused.status, refused.json['errors'][0].field], [422, 'fork_collab']);
    assert.equal((await ok(bob.patch(`${at}/pulls/1`, { state: 'closed' })))['state'], 'closed');
    assert.equal((await ok(ada.patch(`${at}/pulls/1`, { state: 'open', title: 'Ours' })))['title'], 'Ours');
  });

  test('settings of the repository say whether and by whom pull requests are opened', async () => {
    const at = await newRepository();
    const own = await fork(bob, at);
    await write(bob, own, 'main', 'fork.txt', 'x\n');
    await ok(ada.patch(at, { pull_request_creation_policy: 'collaborators_only' }));
    const sent = { title: 'Mine', head: 'bob:main', base: 'main' };
    assert.equal((await bob.post(`${at}/pulls`, sent)).json['errors'][0].message, 'must be a collaborator');
    assert.equal((await ada.post(`${at}/pulls`, sent)).status, 201);
    await ok(ada.patch(at, { has_pull_requests: false }));
    assert.equal((await ada.post(`${at}/pulls`, FEATURE)).status, 410);
    assert.equal((await ada.get(`${at}/pulls`)).status, 410);
  });

  test('lists are narrowed and sorted', async () => {
    const at = await newRepository();
    await branch(ada, at, 'other');
    await write(ada, at, 'other', 'other.txt', 'x');
    await branch(ada, at, 'release');
    await ok(ada.post(`${at}/pulls`, FEATURE));
    server.clock.ahead += 5000;
    await ok(ada.post(`${at}/pulls`, { ...FEATURE, head: 'other' }));
    await ok(ada.post(`${at}/pulls`, { ...FEATURE, head: 'other', base: 'release' }));
    server.clock.ahead += 5000;
    await ok(ada.patch(`${at}/pulls/1`, { title: 'Newer' }));
    await ok(ada.patch(`${at}/pulls/3`, { state: 'closed' }));
    const numbers = async (query: string) =>
      (await ada.get(`${at}/pulls?${query}`)).json.map((one: Json) => one['number']);
    assert.deepEqual(await numbers(''), [2, 1]);
    assert.deepEqual(await numbers('state=all'), [3, 2, 1]);
    assert.deepEqual(await numbers('state=all&head=ada:other'), [3, 2]);
    assert.deepEqual(await numbers('state=all&head=other&base=release'), [3]);
    assert.deepEqual(await numbers('base=main&sort=updated'), [2, 1]);
    assert.deepEqual(await numbers('base=main&sort=updated&direction=desc'), [1, 2]);
    assert.deepEqual(await numbers('sort=long-running'), []);
    assert.deepEqual(await numbers('head=nobody:x'), []);
    assert.equal((await ada.get(`${at}/pulls?sort=x`)).status, 422);
  });

  test('the base is changed to another branch, which no other pull request of the branch has', async () => {
    const at = await newRepository();
    await branch(ada, at, 'release');
    await ok(ada.post(`${at}/pulls`, FEATURE));
    await ok(ada.post(`${at}/pulls`, { ...FEATURE, base: 'release' }));
    const taken = await ada.patch(`${at}/pulls/1`, { base: 'release' });
    assert.deepEqual(
      [taken.status, taken.json['errors'][0].message],
      [422, 'A pull request already exists for ada:feature.'],
    );
    await ok(ada.patch(`${at}/pulls/2`, { state: 'closed' }));
    assert.equal((await ok(ada.patch(`${at}/pulls/1`, { base: 'release' })))['base'].ref, 'release');
    assert.deepEqual((await ada.get(`${at}/pulls?base=main`)).json, []);
    assert.equal((await ada.get(`${at}/pulls?base=release`)).json.length, 1);
    assert.equal((await ada.patch(`${at}/pulls/1`, { base: 'missing' })).status, 422);
    const reopened = await ada.patch(`${at}/pulls/2`, { state: 'open' });
    assert.deepEqual([reopened.status, reopened.json['errors'][0].field], [422, 'state']);
  });
});
