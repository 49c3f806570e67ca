// Commits and comparisons on a running server: lists, single commits with their changes, and what callers may see.
import assert from 'node:assert/strict';
import { addCommit } from '../../../../src/host/git/fixture-repository.ts';
import type { GitRepository } from '../../../../src/host/git/repository.ts';
import { updateRefs } from '../../../../src/host/git/refs/update-refs.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost } from '../../../host-people.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const SECOND = 1000;
const START = Date.parse('2026-01-01T00:00:00Z');
const ADA = { name: 'Ada', email: 'Ada@example.com', time: START, zone: 0 };
const STRANGER = { name: 'Some <b> Body', email: 'nobody@elsewhere.example', time: START, zone: 60 };

let server: TestServer;
let ada: string;
let bob: string;
let git: GitRepository;
/** Of `main`, the oldest first. */
const commits: string[] = [];
let topic: string;

before(async () => {
  server = await startServer({ limits: 'off' });
  ({ token: ada } = await joinHost(server, 'ada'));
  ({ token: bob } = await joinHost(server, 'bob'));
  git = await create('demo');
  const files: Record<string, string> = {};
  for (const [index, author] of [ADA, STRANGER, ADA, STRANGER, ADA].entries()) {
    files[index % 2 === 0 ? 'even.txt' : 'docs/odd file.txt'] = `${index}\n`;
    const person = { ...author, time: START + index * SECOND };
    const parents = commits.slice(-1);
    commits.push(await addCommit(git, files, { author: person, parents, message: `commit ${index}\n` }));
  }
  await updateRefs(git, [{ name: 'refs/heads/feature/topic', from: undefined, to: commits[2] }]);
  topic = await addCommit(
    git,
    { 'even.txt': 'other\n', 'new.txt': 'new\n' },
    { branch: 'feature/topic', parents: [commits[2]!], author: ADA, message: 'topic\n\nMore about it.\n' },
  );
});
after(() => server.stop());

async function create(name: string, body: Json = {}): Promise<GitRepository> {
  const answer = await send('/user/repos', ada, { method: 'POST', body: { name, ...body } });
  assert.equal(answer.status, 201, answer.text);
  return server.app.kernel.services.git.repository(answer.json['id'] as number);
}

const send = (path: string, token: string | null = null, init: CallInit = {}) =>
  server.call(path, { token, ...init });

async function listed(query: string): Promise<number[]> {
  const { status, json, text } = await send(`/repos/ada/demo/commits?${query}`);
  assert.equal(status, 200, text);
  return (json as unknown as Json[]).map(({ sha }) => commits.indexOf(sha as string));
}

const accept = (type: string): CallInit => ({ headers: { accept: `application/vnd.github.${type}` } });

test('the commits of the default branch are listed from the newest, in pages', async () => {
  assert.deepEqual(await listed(''), [4, 3, 2, 1, 0]);
  const { json, headers } = await send('/repos/ada/demo/commits?per_page=2&page=2');
  assert.deepEqual(
    (json as unknown as Json[]).map(({ sha }) => sha),
    [commits[2], commits[1]],
  );
  const link = headers.get('link')!;
  assert.match(link, /per_page=2&page=3>; rel="next"/);
  assert.doesNotMatch(link, /rel="last"/);
  assert.deepEqual(await listed('per_page=2&page=3'), [0]);
  assert.deepEqual(await listed('per_page=2&page=900'), []);
  const [newest, second] = (await send('/repos/ada/demo/commits')).json as unknown as [Json, Json];
  assert.equal(newest['author'].login, 'ada');
  assert.equal(second['author'], null);
  assert.equal(newest['commit'].message, 'commit 4');
  assert.equal(newest['commit'].author.date, '2026-01-01T00:00:04Z');
  assert.deepEqual(newest['parents'][0].sha, commits[3]);
  assert.equal(newest['commit'].verification.reason, 'unsigned');
});

test('lists begin at a branch, tag or commit, and are filtered', async () => {
  for (const [query, expected] of [
    [`sha=${commits[1]}`, [1, 0]],
    [`sha=${commits[1]!.slice(0, 8)}`, [1, 0]],
    ['sha=feature/topic', [-1, 2, 1, 0]],
    ['sha=refs/heads/main&per_page=1', [4]],
    ['path=docs', [3, 1]],
    ['path=docs/odd%20file.txt', [3, 1]],
    ['path=/docs/', [3, 1]],
    ['path=none', []],
    ['path=../x', []],
    ['author=ada', [4, 2, 0]],
    ['author=ADA@EXAMPLE.COM', [4, 2, 0]],
    ['author=nobody@elsewhere.example', [3, 1]],
    ['author=body@elsewhere.example', []],
    ['author=nobody', []],
    ['author=--all', []],
    ['committer=ada', [4, 2, 0]],
    ['since=2026-01-01T00:00:03Z', [4, 3]],
    ['until=2026-01-01T00:00:01Z', [1, 0]],
  ] as const)
    assert.deepEqual(await listed(query), expected, query);
  for (const [query, status] of [
    ['sha=none', 404],
    ['sha=main~1', 404],
    [`sha=${'0'.repeat(39)}1`, 404],
    ['since=yesterday', 422],
    ['per_page=-1', 422],
  ] as const)
    assert.equal((await send(`/repos/ada/demo/commits?${query}`)).status, status, query);
});

test('an address that a user has added does not make the commits of others theirs', async () => {
  const added = await send('/user/emails', bob, { method: 'POST', body: { emails: [STRANGER.email] } });
  assert.equal(added.status, 201, added.text);
  assert.deepEqual(await listed('author=bob'), []);
  const { json } = await send(`/repos/ada/demo/commits/${commits[1]}`);
  assert.deepEqual([json['author'], json['commit'].author.email], [null, STRANGER.email]);
});

test('a commit has its changes, and is found by every name', async () => {
  for (const ref of ['feature/topic', 'feature%2Ftopic', topic, topic.slice(0, 7), 'heads/feature/topic']) {
    const { status, json } = await send(`/repos/ada/demo/commits/${ref}`);
    assert.equal(status, 200, ref);
    assert.equal(json['sha'], topic);
  }
  const { json } = await send(`/repos/ada/demo/commits/${topic}`);
  assert.deepEqual(json['stats'], { total: 4, additions: 2, deletions: 2 });
  assert.equal(json['commit'].message, 'topic\n\nMore about it.');
  assert.deepEqual(
    (json['files'] as Json[]).map(({ filename, status }) => [filename, status]),
    [
      ['docs/odd file.txt', 'removed'],
      ['even.txt', 'modified'],
      ['new.txt', 'added'],
    ],
  );
  const [removed, modified] = json['files'] as [Json, Json];
  assert.equal(
    removed['contents_url'],
    `${server.url}/repos/ada/demo/contents/docs/odd%20file.txt?ref=${commits[2]}`,
  );
  assert.equal(modified['patch'], '@@ -1 +1 @@\n-2\n+other');
  const second = await send(`/repos/ada/demo/commits/${topic}?per_page=1&page=2`);
  assert.deepEqual(
    (second.json['files'] as Json[]).map(({ filename }) => filename),
    ['even.txt'],
  );
  assert.deepEqual(second.json['stats'], json['stats']);
  assert.match(second.headers.get('link')!, /per_page=1&page=3>; rel="next".*rel="last"/);
  const { json: first } = await send(`/repos/ada/demo/commits/${commits[0]}`);
  assert.deepEqual([first['parents'], first['stats'].additions], [[], 1]);
  for (const ref of ['none', 'feature', 'main~1', 'a..b', '-x', `${commits[0]!.slice(0, 39)}g`]) {
    const missing = await send(`/repos/ada/demo/commits/${encodeURIComponent(ref)}`);
    assert.equal(missing.status, 422, ref);
    assert.equal(missing.json['message'], `No commit found for SHA: ${ref}`);
  }
});

test('below a commit there is nothing at an unknown path, and a name with slashes is a name', async () => {
  const long = 'x/'.repeat(30);
  for (const ref of ['main', topic, topic.slice(0, 7), 'feature/topic', 'heads/feature/topic'])
    for (const rest of [
      'nonsense',
      'nonsense/more',
      'comments',
      'check-runs',
      `${long}y`,
      'sta%74us%2F',
      '..%2Fx',
    ])
      for (const token of [null, ada]) {
        const { status, json } = await send(`/repos/ada/demo/commits/${ref}/${rest}`, token);
        assert.deepEqual([status, json['status']], [404, '404'], `${ref}/${rest}`);
      }
  for (const ref of ['none/of/these', 'feature/none', 'feature', `${long}y`]) {
    const { status, json } = await send(`/repos/ada/demo/commits/${ref}`);
    assert.equal(status, 422, ref);
    assert.ok(String(json['message']).startsWith('No commit found for SHA: '), ref);
  }
  for (const method of ['POST', 'PUT', 'DELETE'])
    assert.equal((await send('/repos/ada/demo/commits/main/nonsense', ada, { method })).status, 404);
  await updateRefs(git, [{ name: 'refs/heads/other/nonsense', from: undefined, to: commits[1] }]);
  for (const ref of [
    'other/nonsense',
    'other%2Fnonsense',
    'heads/other/nonsense',
    'refs/heads/other/nonsense',
  ])
    assert.equal((await send(`/repos/ada/demo/commits/${ref}`)).json['sha'], commits[1], ref);
});

test('media types give a commit as its id, a diff or a mail', async () => {
  const path = '/repos/ada/demo/commits/feature/topic';
  const sha = await send(path, null, accept('sha'));
  assert.equal(sha.text, topic);
  assert.equal(sha.headers.get('content-type'), 'application/vnd.github.v3.sha; charset=utf-8');
  const diff = await send(path, null, accept('v3.diff'));
  assert.match(diff.text, /^diff --git a\/docs\/odd file.txt b\/docs\/odd file.txt\n/);
  assert.equal(diff.headers.get('content-security-policy'), 'sandbox allow-scripts');
  const patch = await send(path, null, accept('patch'));
  assert.match(
    patch.text,
    /^From [0-9a-f]{40} .*\nFrom: Ada <Ada@example.com>\n.*\nSubject: \[PATCH\] topic\n/,
  );
  assert.equal((await send('/repos/ada/demo/commits/none', null, accept('diff'))).status, 422);
});

test('two commits are compared from their last common ancestor', async () => {
  const { status, json, text } = await send('/repos/ada/demo/compare/main...feature/topic');
  assert.equal(status, 200, text);
  assert.deepEqual(
    [json['status'], json['ahead_by'], json['behind_by'], json['total_commits']],
    ['diverged', 1, 2, 1],
  );
  assert.equal(json['base_commit'].sha, commits[4]);
  assert.equal(json['merge_base_commit'].sha, commits[2]);
  assert.deepEqual(
    (json['commits'] as Json[]).map(({ sha }) => sha),
    [topic],
  );
  assert.equal((json['files'] as Json[]).length, 3);
  for (const [range, word, ahead, behind] of [
    [`${commits[0]}...main`, 'ahead', 4, 0],
    [`main...${commits[0]}`, 'behind', 0, 4],
    ['main...main', 'identical', 0, 0],
    [`ada:main...ada:${commits[0]}`, 'behind', 0, 4],
    ['ada:demo:main...main', 'identical', 0, 0],
    ['main...feature%2Ftopic', 'diverged', 1, 2],
  ] as const) {
    const { json: one } = await send(`/repos/ada/demo/compare/${range}`);
    assert.deepEqual([one['status'], one['ahead_by'], one['behind_by']], [word, ahead, behind], range);
  }
  const page = await send(`/repos/ada/demo/compare/${commits[0]}...main?per_page=3&page=2`);
  assert.deepEqual(
    (page.json['commits'] as Json[]).map(({ sha }) => sha),
    [commits[4]],
  );
  assert.equal(page.json['files'], undefined);
  assert.match(page.headers.get('link')!, /per_page=3&page=1>; rel="prev"/);
  for (const range of ['main', 'main...', '...main', 'main..none', 'main...none', 'a...b...c', ''])
    assert.equal((await send(`/repos/ada/demo/compare/${range}`)).status, 404, range);
});

test('a comparison is also a diff or a series of mails', async () => {
  const path = '/repos/ada/demo/compare/main...feature/topic';
  assert.match((await send(path, null, accept('diff'))).text, /^diff --git /);
  assert.match(
    (await send(path, null, accept('patch'))).text,
    /^From [0-9a-f]{40} .*Subject: \[PATCH\] topic/s,
  );
});

test('histories without a common commit cannot be compared', async () => {
  await addCommit(git, { a: 'x' }, { branch: 'unrelated' });
  assert.equal((await send('/repos/ada/demo/compare/main...unrelated')).status, 404);
});

test('an empty repository is a conflict', async () => {
  await create('empty');
  for (const path of ['commits', 'commits/main', `commits/${commits[0]}`]) {
    const { status, json } = await send(`/repos/ada/empty/${path}`);
    assert.deepEqual([status, json['message']], [409, 'Git Repository is empty.'], path);
  }
  assert.equal((await send('/repos/ada/empty/compare/main...main')).status, 404);
});

test('a repository whose folder is not there yet is read as an empty one', async () => {
  const { number } = await create('coming');
  await server.app.kernel.services.git.removeRepository(number);
  for (const path of ['commits', 'commits/main', `commits/${commits[0]}`])
    assert.equal((await send(`/repos/ada/coming/${path}`)).status, 409, path);
});

test('commits of a private repository are there for those alone who may see it', async () => {
  const secret = await create('secret', { private: true });
  await addCommit(secret, { a: 'x' }, { author: ADA });
  for (const path of ['commits', 'commits/main', 'compare/main...main', 'commits?page=x']) {
    for (const token of [null, bob])
      assert.equal((await send(`/repos/ada/secret/${path}`, token)).status, 404, path);
  }
  assert.equal((await send('/repos/ada/secret/commits/main', ada)).status, 200);
  // A repository that is no fork of the other cannot be named by anybody.
  for (const token of [null, bob, ada])
    assert.equal((await send('/repos/ada/demo/compare/main...ada:secret:main', token)).status, 404);
});
