// The branches of pull requests: brought up to date with their base, renamed, and their test merges fetched by real git.
import assert from 'node:assert/strict';
import { addCommit, git as runIn, type TestFiles } from '../../../../src/host/git/fixture-repository.ts';
import type { GitRepository } from '../../../../src/host/git/repository.ts';
import { updateRefs } from '../../../../src/host/git/refs/update-refs.ts';
import { recordPushes } from '../../../../src/host/pushes/record-pushes.ts';
import { makeApp } from '../../../app-people.ts';
import { GitClient, gitUrl } from '../../../clients/git-client.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

let server: TestServer;
let ada: HostPerson;
let bob: HostPerson;
let eve: HostPerson;
let places = 0;

before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  eve = await joinHost(server, 'eve');
});
after(() => server.stop());

const ok = async (answer: Promise<Answer>): Promise<Json> => {
  const got = await answer;
  assert.ok(got.status < 300, `${got.status} ${got.text}`);
  return got.json;
};
const refusal = async (answer: Promise<Answer>): Promise<unknown[]> => {
  const { status, json } = await answer;
  return [status, json['message']];
};
const gitOf = (id: unknown) => server.app.kernel.services.git.repository(id as number);

interface Place {
  at: string;
  name: string;
  id: number;
  git: GitRepository;
  root: string;
  pull(number?: number): Promise<Json>;
}

/** A repository of ada with one commit. */
async function newPlace(fields: Json = {}): Promise<Place> {
  places += 1;
  const name = `branched-${places}`;
  const { id } = await ada.repository(name, fields);
  const git = gitOf(id);
  const root = await addCommit(git, { a: 'a\n' });
  await recordPushes(server.app.kernel, id as number);
  const at = `/repos/ada/${name}`;
  const pull = (number = 1) => ok(ada.get(`${at}/pulls/${number}`));
  return { at, name, id: id as number, git, root, pull };
}

/** With a branch `feature` of one commit more, whose pull request is the first. */
async function newPull(files: TestFiles = { a: 'a\n', b: 'b\n' }): Promise<Place & { head: string }> {
  const place = await newPlace();
  const { git, root } = place;
  await updateRefs(git, [{ name: 'refs/heads/feature', from: undefined, to: root }]);
  const head = await addCommit(git, files, { branch: 'feature', parents: [root] });
  await recordPushes(server.app.kernel, place.id);
  await ok(ada.post(`${place.at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
  return { ...place, head };
}

/** A fork of bob with a pull request of its branch `feature`. */
async function newForkPull(fields: Json = {}): Promise<Place & { head: string; fork: GitRepository }> {
  const place = await newPlace();
  const { id } = await ok(bob.post(`${place.at}/forks`, {}));
  const at = `/repos/bob/${place.name}`;
  await eventually(async () => (await bob.get(`${at}/git/ref/heads/main`)).status === 200, 'the fork');
  const fork = gitOf(id);
  await updateRefs(fork, [{ name: 'refs/heads/feature', from: undefined, to: place.root }]);
  const head = await addCommit(fork, { a: 'a\n', b: 'b\n' }, { branch: 'feature', parents: [place.root] });
  await recordPushes(server.app.kernel, id as number);
  const sent = { title: 'A', head: 'bob:feature', base: 'main', ...fields };
  await ok(bob.post(`${place.at}/pulls`, sent));
  return { ...place, head, fork };
}

test('the base is merged into the branch by the caller, and the pull request follows', async () => {
  const { at, git, root, head, pull } = await newPull();
  assert.deepEqual(await refusal(ada.put(`${at}/pulls/1/update-branch`)), [
    422,
    'There are no new commits on the base branch.',
  ]);
  const base = await addCommit(git, { a: 'base\n' }, { parents: [root] });
  assert.deepEqual(await refusal(ada.put(`${at}/pulls/1/update-branch`, { expected_head_sha: root })), [
    422,
    "expected head sha didn't match current head ref.",
  ]);
  const done = await ada.put(`${at}/pulls/1/update-branch`, { expected_head_sha: head });
  assert.equal(done.status, 202, done.text);
  assert.equal(done.json['message'], 'Updating pull request branch.');
  assert.equal(done.json['url'], (await pull())['url']);
  const merged = (await git.readRef('refs/heads/feature'))!;
  const commit = await git.readCommit(merged);
  assert.deepEqual(
    [commit?.parents, commit?.message, commit?.author.name, commit?.committer.name],
    [[head, base], "Merge branch 'main' into feature\n", 'ada', 'Signalbox'],
  );
  await eventually(async () => (await pull())['head'].sha === merged, 'the pull request');
  await eventually(async () => (await pull())['mergeable'] === true, 'the answer');
  assert.equal((await pull())['rebaseable'], false);
});

test('a branch with conflicts, or of a closed pull request, is not updated', async () => {
  const { at, git, root, head } = await newPull({ a: 'head\n' });
  await addCommit(git, { a: 'base\n' }, { parents: [root] });
  const update = () => refusal(ada.put(`${at}/pulls/1/update-branch`));
  assert.deepEqual(await update(), [422, 'merge conflict between base and head']);
  assert.equal((await ada.put(`${at}/pulls/1/update-branch`, { expected_head_sha: 1 })).status, 422);
  assert.equal((await bob.put(`${at}/pulls/1/update-branch`)).status, 403);
  assert.equal(
    (await server.call(`${at}/pulls/1/update-branch`, { method: 'PUT', token: null })).status,
    401,
  );
  assert.equal((await ada.put(`${at}/pulls/9/update-branch`)).status, 404);
  await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
  assert.deepEqual(await update(), [422, 'The pull request is closed.']);
  assert.equal(await git.readRef('refs/heads/feature'), head);
});

test('the rules of the branch hold', async () => {
  const { at, git, root, head } = await newPull();
  await addCommit(git, { a: 'base\n' }, { parents: [root] });
  const rule = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
    required_linear_history: true,
  };
  await ok(ada.put(`${at}/branches/feature/protection`, rule));
  assert.deepEqual(await refusal(ada.put(`${at}/pulls/1/update-branch`)), [
    422,
    'This branch must not contain merge commits.',
  ]);
  assert.equal(await git.readRef('refs/heads/feature'), head);
});

test('the branch of a fork is updated by who may push there, and by maintainers where it is allowed', async () => {
  const { at, git, root, head, fork, pull } = await newForkPull();
  const base = await addCommit(git, { a: 'base\n' }, { parents: [root] });
  assert.equal((await eve.put(`${at}/pulls/1/update-branch`)).status, 403);
  assert.equal((await ada.put(`${at}/pulls/1/update-branch`)).status, 202);
  const merged = (await fork.readRef('refs/heads/feature'))!;
  assert.deepEqual((await fork.readCommit(merged))?.parents, [head, base]);
  runIn(fork, 'fsck', '--strict');
  await eventually(async () => (await pull())['head'].sha === merged, 'the pull request');
  await addCommit(git, { a: 'base 2\n' }, { parents: [base] });
  assert.equal((await bob.put(`${at}/pulls/1/update-branch`)).status, 202);
});

test('maintainers do not update the branch of a fork that does not allow it, and conflicts copy nothing', async () => {
  const { at, git, root, head, fork } = await newForkPull({ maintainer_can_modify: false });
  const base = await addCommit(git, { a: 'a\n', b: 'base\n' }, { parents: [root] });
  assert.equal((await ada.put(`${at}/pulls/1/update-branch`)).status, 403);
  assert.equal((await bob.put(`${at}/pulls/1/update-branch`)).status, 422);
  assert.equal(await fork.readInfo(base), undefined);
  assert.equal(await fork.readRef('refs/heads/feature'), head);
});

test('an app needs to write contents for it, whatever it may do with pull requests', async () => {
  const { at, git, root } = await newPull();
  await addCommit(git, { a: 'base\n' }, { parents: [root] });
  const update = async (name: string, permissions: Record<string, string>) => {
    const app = await makeApp(server, 'ada', { name, permissions });
    const token = await app.token(await app.install('ada'));
    return (await server.call(`${at}/pulls/1/update-branch`, { method: 'PUT', token })).status;
  };
  assert.equal(await update('Pull Bot', { pull_requests: 'write', contents: 'read' }), 403);
  assert.equal(await update('Push Bot', { contents: 'write' }), 202);
});

test('git fetch finds the test merge, pushes cannot write it, and forks do not have it', async () => {
  const { at, name, git, root, head, pull } = await newPull();
  const base = await addCommit(git, { a: 'base\n' }, { parents: [root] });
  await eventually(async () => (await pull())['mergeable'] === true, 'the answer');
  const client = new GitClient('Ada');
  const url = gitUrl(server, ada.token, `ada/${name}`);
  await client.run('', 'clone', '--quiet', url, 'work');
  await client.run('work', 'fetch', '--quiet', 'origin', 'pull/1/merge');
  const merge = await client.run('work', 'rev-parse', 'FETCH_HEAD');
  assert.equal(merge, (await pull())['merge_commit_sha']);
  assert.equal(await client.run('work', 'log', '-1', '--format=%P', 'FETCH_HEAD'), `${base} ${head}`);
  assert.equal(await client.run('work', 'show', 'FETCH_HEAD:b'), 'b');
  await assert.rejects(client.run('work', 'push', '--quiet', 'origin', 'main:refs/pull/1/merge'));
  await ok(bob.post(`${at}/forks`, {}));
  const forked = `/repos/bob/${name}/git`;
  await eventually(async () => (await bob.get(`${forked}/ref/heads/main`)).status === 200, 'the fork');
  assert.deepEqual((await bob.get(`${forked}/matching-refs/pull`)).json, []);
});

test('pull requests follow both of their branches to new names', async () => {
  const { at, git, pull, root } = await newPull();
  await ok(ada.post(`${at}/branches/feature/rename`, { new_name: 'topic' }));
  await eventually(async () => (await pull())['head'].ref === 'topic', 'the head');
  await ok(ada.post(`${at}/branches/main/rename`, { new_name: 'trunk' }));
  await eventually(async () => (await pull())['base'].ref === 'trunk', 'the base');
  assert.deepEqual([(await pull())['state'], (await pull())['head'].label], ['open', 'ada:topic']);
  for (const [query, count] of [
    ['base=trunk', 1],
    ['base=main', 0],
    ['head=ada:topic', 1],
    ['head=ada:feature', 0],
  ] as const)
    assert.equal((await ada.get(`${at}/pulls?${query}`)).json.length, count, query);
  const events = (await ada.get(`${at}/issues/1/timeline`)).json as unknown as Json[];
  assert.deepEqual(
    events.map(({ event }) => event),
    ['committed', 'base_ref_changed'],
  );
  // They go on as before.
  const tip = (await git.readRef('refs/heads/topic'))!;
  const next = await addCommit(git, { a: 'a\n', c: 'c\n' }, { branch: 'topic', parents: [tip] });
  await addCommit(git, { a: 'base\n' }, { branch: 'trunk', parents: [root] });
  await recordPushes(server.app.kernel, (await ada.get(at)).json['id'] as number);
  await eventually(async () => (await pull())['head'].sha === next, 'the push');
  await eventually(async () => (await pull())['mergeable'] === true, 'the answer');
  const again = await ada.post(`${at}/pulls`, { title: 'B', head: 'topic', base: 'trunk' });
  assert.equal(again.status, 422);
});

test('a pull request of a fork follows its branch to a new name', async () => {
  const { pull, name } = await newForkPull();
  await ok(bob.post(`/repos/bob/${name}/branches/feature/rename`, { new_name: 'topic' }));
  await eventually(async () => (await pull())['head'].ref === 'topic', 'the head');
  assert.equal((await pull())['state'], 'open');
});
