// Statuses of commits on a running server: who reports them, what a commit has, and what they amount to together.
import assert from 'node:assert/strict';
import { addCommit } from '../../../../src/host/git/fixture-repository.ts';
import type { GitRepository } from '../../../../src/host/git/repository.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost } from '../../../host-people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';

let server: TestServer;
let ada: string;
let bob: string;
let git: GitRepository;
let sha: string;

before(async () => {
  server = await startServer({ limits: 'off' });
  ({ token: ada } = await joinHost(server, 'ada'));
  ({ token: bob } = await joinHost(server, 'bob'));
  git = await create('demo');
  sha = await addCommit(git, { a: '1' });
});
after(() => server.stop());

async function create(name: string, body: Json = {}): Promise<GitRepository> {
  const { json } = await send('POST', '/user/repos', ada, { name, ...body });
  return server.app.kernel.services.git.repository(json['id'] as number);
}

const send = (method: string, path: string, token: string | null, body?: unknown) =>
  server.call(path, { method, token, ...(body !== undefined && { body }) });

const report = (commit: string, body: unknown, token: string | null = ada) =>
  send('POST', `/repos/ada/demo/statuses/${commit}`, token, body);

const combined = async (ref: string) =>
  (await send('GET', `/repos/ada/demo/commits/${encodeURIComponent(ref)}/status`, null)).json;

test('a status has what was reported, and who reported it', async () => {
  const sent = { state: 'pending', target_url: 'https://ci.example/1', description: 'Runs', context: 'ci/x' };
  const { status, json, headers } = await report(sha.toUpperCase(), sent);
  assert.equal(status, 201);
  assert.equal(headers.get('location'), `${server.url}/repos/ada/demo/statuses/${sha}`);
  const { state, target_url, description, context } = json;
  assert.deepEqual({ state, target_url, description, context }, sent);
  assert.equal(json['creator'].login, 'ada');
  const plain = await report(sha, { state: 'success', target_url: null, description: null });
  assert.deepEqual([plain.json['context'], plain.json['target_url']], ['default', null]);
  const { json: list } = await send('GET', `/repos/ada/demo/commits/${sha}/statuses`, null);
  assert.deepEqual(list, [plain.json, json]);
  assert.deepEqual((await send('GET', new URL(json['url'] as string).pathname, null)).json, list);
});

test('the newest status of each context counts', async () => {
  const commit = await addCommit(git, { a: '2' }, { branch: 'feature/x' });
  const none = await combined('feature/x');
  assert.deepEqual([none['state'], none['total_count'], none['statuses']], ['pending', 0, []]);
  for (const [context, state, expected] of [
    ['a', 'success', 'success'],
    ['b', 'pending', 'pending'],
    ['c', 'error', 'failure'],
    ['c', 'success', 'pending'],
    ['b', 'failure', 'failure'],
    ['b', 'success', 'success'],
  ] as const) {
    assert.equal((await report(commit, { context, state })).status, 201);
    assert.equal((await combined('feature/x'))['state'], expected, `${context} ${state}`);
  }
  const all = await combined(commit);
  assert.deepEqual([all['total_count'], all['sha']], [3, commit]);
  assert.deepEqual(
    (all['statuses'] as Json[]).map(({ context }) => context),
    ['b', 'c', 'a'],
  );
  assert.equal(all['repository'].full_name, 'ada/demo');
  const path = '/repos/ada/demo/commits/feature%2Fx';
  const page = await send('GET', `${path}/status?per_page=2&page=2`, null);
  assert.equal((page.json['statuses'] as Json[]).length, 1);
  assert.equal(page.json['total_count'], 3);
  assert.match(page.headers.get('link')!, /rel="prev"/);
  const list = await send('GET', `${path}/statuses?per_page=4`, null);
  assert.equal((list.json as unknown as Json[]).length, 4);
  assert.match(list.headers.get('link')!, /page=2>; rel="next"/);
  assert.equal((await send('GET', path, null)).json['sha'], commit);
});

test('what cannot be a status is refused', async () => {
  for (const body of [
    {},
    { state: 'done' },
    { state: 'success', target_url: 'javascript:alert(1)' },
    { state: 'success', target_url: 'ftp://x' },
    { state: 'success', description: 'x'.repeat(141) },
    { state: 'success', context: '' },
    { state: 'success', context: 'a\0b' },
  ])
    assert.equal((await report(sha, body)).status, 422, JSON.stringify(body));
  for (const commit of ['main', sha.slice(0, 10), `${sha.slice(0, 39)}x`, '0'.repeat(40)])
    assert.equal((await report(commit, { state: 'success' })).status, 422, commit);
  for (const path of ['status', 'statuses'])
    assert.equal((await send('GET', `/repos/ada/demo/commits/none/${path}`, null)).status, 404);
  assert.equal((await send('GET', '/repos/ada/demo/statuses/none', null)).status, 404);
});

test('a branch is named in the path with its slashes, encoded or not', async () => {
  const { json } = await send('POST', '/repos/ada/demo/git/refs', ada, { ref: 'refs/heads/topic/a/b', sha });
  assert.equal(json['ref'], 'refs/heads/topic/a/b');
  for (const ref of ['topic/a/b', 'topic%2Fa/b', 'heads/topic/a/b', 'heads/main']) {
    const { status, json: shown } = await send('GET', `/repos/ada/demo/commits/${ref}/status`, null);
    assert.deepEqual([status, shown['sha']], [200, sha], ref);
    assert.equal((await send('GET', `/repos/ada/demo/commits/${ref}/statuses`, null)).status, 200, ref);
    assert.equal((await send('GET', `/repos/ada/demo/statuses/${ref}`, null)).status, 200, ref);
  }
  const branch = await send('GET', '/repos/ada/demo/branches/topic/a/b', null);
  assert.deepEqual([branch.status, branch.json['name']], [200, 'topic/a/b']);
  const renamed = await send('POST', '/repos/ada/demo/branches/topic/a/b/rename', ada, { new_name: 'c' });
  assert.deepEqual([renamed.status, renamed.json['name']], [201, 'c']);
  for (const path of ['branches/topic//a', `branches/${'x/'.repeat(30)}y`, 'branches/', 'branches/topic/'])
    assert.equal((await send('GET', `/repos/ada/demo/${path}`, null)).status, 404, path);
});

test('those who may push report, and those who may see the repository read', async () => {
  assert.equal((await report(sha, { state: 'success' }, bob)).status, 403);
  assert.equal((await report(sha, { state: 'success' }, null)).status, 401);
  const secret = await create('secret', { private: true });
  const commit = await addCommit(secret, { a: 'x' });
  const post = (token: string | null) =>
    send('POST', `/repos/ada/secret/statuses/${commit}`, token, { state: 'success' });
  assert.equal((await post(bob)).status, 404);
  assert.equal((await post(ada)).status, 201);
  for (const path of ['status', 'statuses']) {
    for (const token of [null, bob])
      assert.equal((await send('GET', `/repos/ada/secret/commits/main/${path}`, token)).status, 404);
    assert.equal((await send('GET', `/repos/ada/secret/commits/main/${path}`, ada)).status, 200);
  }
});

test('a commit has at most 1000 statuses of a context', async () => {
  const { db } = server.app.kernel;
  const commit = await addCommit(git, { a: '3' }, { branch: 'many' });
  const row = {
    repository_number: git.number,
    sha: commit,
    context: 'default',
    state: 'success',
    description: null,
    target_url: null,
    creator_id: 'gone',
    created_at: 0,
  };
  for (let start = 0; start < 999; start += 333)
    await db
      .insertInto('commit_statuses')
      .values(Array.from({ length: 333 }, () => row))
      .execute();
  const answers = await Promise.all(Array.from({ length: 3 }, () => report(commit, { state: 'pending' })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 422, 422],
  );
  assert.equal((await report(commit, { state: 'success', context: 'other' })).status, 201);
  const { json } = await send('GET', '/repos/ada/demo/commits/many/statuses?per_page=3', null);
  assert.equal((json as unknown as Json[])[2]!['creator'], null);
});
