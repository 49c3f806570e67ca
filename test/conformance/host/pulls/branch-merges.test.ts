// Merges of branches without pull requests, within a repository and from the one that it is a fork of.
import assert from 'node:assert/strict';
import { addCommit, git as runIn, type TestFiles } from '../../../../src/host/git/fixture-repository.ts';
import type { GitRepository } from '../../../../src/host/git/repository.ts';
import { updateRefs } from '../../../../src/host/git/refs/update-refs.ts';
import { recordPushes } from '../../../../src/host/pushes/record-pushes.ts';
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

interface Place {
  at: string;
  name: string;
  id: number;
  git: GitRepository;
  root: string;
  branch(name: string, files: TestFiles): Promise<string>;
}

/** A repository of ada with one commit. */
async function newPlace(fields: Json = {}): Promise<Place> {
  places += 1;
  const name = `merged-${places}`;
  const { id } = await ada.repository(name, fields);
  const git = gitOf(id);
  const root = await addCommit(git, { a: 'a\n' });
  await recordPushes(server.app.kernel, id as number);
  return {
    at: `/repos/ada/${name}`,
    name,
    id: id as number,
    git,
    root,
    async branch(branch, files) {
      await updateRefs(git, [{ name: `refs/heads/${branch}`, from: undefined, to: root }]);
      return await addCommit(git, files, { branch, parents: [root] });
    },
  };
}

const gitOf = (id: unknown) => server.app.kernel.services.git.repository(id as number);
const tip = (git: GitRepository, branch = 'main') => git.readRef(`refs/heads/${branch}`);

test('a branch is merged into another with a commit of the caller, once', async () => {
  const { at, git, root, branch } = await newPlace();
  const head = await branch('feature', { a: 'a\n', b: 'b\n' });
  const sent = { base: 'main', head: 'feature', commit_message: 'Together' };
  const made = await ada.post(`${at}/merges`, sent);
  assert.equal(made.status, 201, made.text);
  const { sha, commit, parents, author, committer } = made.json;
  assert.deepEqual(
    [commit.message, author.login, committer, commit.committer.name, parents.map((one: Json) => one['sha'])],
    ['Together', 'ada', null, 'Signalbox', [root, head]],
  );
  assert.equal(await tip(git), sha);
  const again = await ada.post(`${at}/merges`, sent);
  assert.deepEqual([again.status, again.text], [204, '']);
  assert.equal(await tip(git), sha);
  const events = (await ada.get(`${at}/events`)).json as unknown as Json[];
  assert.equal(events.filter(({ payload }) => payload?.head === sha).length, 1);
});

test('a commit is merged by its id, and the message names both', async () => {
  const { at, git, branch } = await newPlace();
  const head = await branch('feature', { a: 'a\n', b: 'b\n' });
  const made = await ok(ada.post(`${at}/merges`, { base: 'refs/heads/main', head }));
  assert.equal(made['commit'].message, `Merge ${head} into main`);
  assert.equal(await tip(git), made['sha']);
});

test('what cannot be merged changes nothing', async () => {
  const { at, git, root, branch } = await newPlace();
  await branch('feature', { a: 'head\n' });
  const base = await addCommit(git, { a: 'base\n' }, { parents: [root] });
  await addCommit(git, { z: 'z\n' }, { branch: 'orphan' });
  const merge = (body: Json) => refusal(ada.post(`${at}/merges`, body));
  assert.deepEqual(await merge({ base: 'main', head: 'feature' }), [409, 'Merge conflict']);
  assert.deepEqual(await merge({ base: 'main', head: 'orphan' }), [409, 'Merge conflict']);
  assert.deepEqual(await merge({ base: 'none', head: 'feature' }), [404, 'Base does not exist']);
  assert.deepEqual(await merge({ base: root, head: 'feature' }), [404, 'Base does not exist']);
  assert.deepEqual(await merge({ base: 'a..b', head: 'feature' }), [404, 'Base does not exist']);
  assert.deepEqual(await merge({ base: 'main', head: 'none' }), [404, 'Head does not exist']);
  assert.deepEqual(await merge({ base: 'main', head: '-x' }), [404, 'Head does not exist']);
  for (const bad of [{}, { base: 'main' }, { base: 1, head: 'x' }, { base: 'main', head: 'x'.repeat(1025) }])
    assert.equal((await ada.post(`${at}/merges`, bad)).status, 422);
  assert.equal(await tip(git), base);
  const empty = await ada.repository(`empty-${places}`);
  const nothing = ada.post(`/repos/${empty['full_name']}/merges`, { base: 'main', head: 'main' });
  assert.deepEqual(await refusal(nothing), [404, 'Base does not exist']);
});

test('merges need write access, and rules of the branch hold', async () => {
  const { at, git, root, branch } = await newPlace();
  await branch('feature', { a: 'a\n', b: 'b\n' });
  const sent = { base: 'main', head: 'feature' };
  assert.equal((await bob.post(`${at}/merges`, sent)).status, 403);
  assert.equal((await server.call(`${at}/merges`, { method: 'POST', token: null, body: sent })).status, 401);
  const rule = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
    required_linear_history: true,
  };
  await ok(ada.put(`${at}/branches/main/protection`, rule));
  const objects = runIn(git, 'count-objects', '-v');
  const [status, message] = await refusal(ada.post(`${at}/merges`, sent));
  assert.deepEqual([status, message], [422, 'This branch must not contain merge commits.']);
  assert.equal(await tip(git), root);
  assert.equal(runIn(git, 'count-objects', '-v'), objects);
  const hidden = await newPlace({ private: true });
  for (const path of ['merges', 'merge-upstream'])
    assert.equal((await bob.post(`${hidden.at}/${path}`, { ...sent, branch: 'main' })).status, 404);
});

test('of merges at once none is lost', async () => {
  const { at, git, branch } = await newPlace();
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) await branch(name, { a: 'a\n', [name]: `${name}\n` });
  const made = await Promise.all(names.map((head) => ada.post(`${at}/merges`, { base: 'main', head })));
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  assert.deepEqual(runIn(git, 'ls-tree', '--name-only', 'main').split('\n'), ['a', ...names.toSorted()]);
});

async function forkOf({ at, name }: Place, person = bob): Promise<{ at: string; git: GitRepository }> {
  const { id } = await ok(person.post(`${at}/forks`, {}));
  const path = `/repos/${person.login}/${name}`;
  await eventually(async () => (await person.get(`${path}/git/ref/heads/main`)).status === 200, 'the fork');
  return { at: path, git: gitOf(id) };
}

test('a fork is moved forward, then merged, then has nothing to fetch', async () => {
  const place = await newPlace();
  const fork = await forkOf(place);
  const sync = () => bob.post(`${fork.at}/merge-upstream`, { branch: 'main' });
  assert.deepEqual(await ok(sync()), {
    message: 'This branch is not behind the upstream ada:main.',
    merge_type: 'none',
    base_branch: 'ada:main',
  });
  const second = await addCommit(place.git, { a: 'a\n', b: 'b\n' }, { parents: [place.root] });
  assert.equal(await fork.git.readInfo(second), undefined);
  assert.deepEqual(await ok(sync()), {
    message: 'Successfully fetched and fast-forwarded from upstream ada:main.',
    merge_type: 'fast-forward',
    base_branch: 'ada:main',
  });
  assert.equal(await tip(fork.git), second);
  const own = await addCommit(fork.git, { a: 'a\n', b: 'b\n', own: '1\n' }, { parents: [second] });
  const third = await addCommit(place.git, { a: 'a\n', b: '3\n' }, { parents: [second] });
  assert.equal((await ok(sync()))['merge_type'], 'merge');
  const merged = await fork.git.readCommit((await tip(fork.git))!);
  assert.deepEqual(
    [merged?.parents, merged?.message, merged?.author.name],
    [[own, third], "Merge branch 'ada:main' into main\n", 'bob'],
  );
  assert.equal((await ok(sync()))['merge_type'], 'none');
  runIn(fork.git, 'fsck', '--strict');
});

test('a fork with conflicts is not changed, and nothing is copied', async () => {
  const place = await newPlace();
  const fork = await forkOf(place);
  const theirs = await addCommit(place.git, { a: 'theirs\n' }, { parents: [place.root] });
  const own = await addCommit(fork.git, { a: 'own\n' }, { parents: [place.root] });
  const sync = (branch: unknown) => bob.post(`${fork.at}/merge-upstream`, { branch });
  assert.deepEqual(await refusal(sync('main')), [409, 'There are merge conflicts']);
  assert.equal(await tip(fork.git), own);
  assert.equal(await fork.git.readInfo(theirs), undefined);
  await addCommit(fork.git, { own: '1\n' }, { branch: 'own' });
  for (const bad of ['own', 'none', 'a..b', 1, undefined]) assert.equal((await sync(bad)).status, 422);
  assert.equal((await eve.post(`${fork.at}/merge-upstream`, { branch: 'main' })).status, 403);
  const source = await refusal(ada.post(`${place.at}/merge-upstream`, { branch: 'main' }));
  assert.equal(source[0], 422);
});

test('a locked branch of a fork is brought up to date where its rule allows that', async () => {
  const place = await newPlace();
  const fork = await forkOf(place);
  await addCommit(place.git, { a: 'a\n', b: 'b\n' }, { parents: [place.root] });
  const rule = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
    lock_branch: true,
  };
  const sync = () => bob.post(`${fork.at}/merge-upstream`, { branch: 'main' });
  await ok(bob.put(`${fork.at}/branches/main/protection`, rule));
  assert.deepEqual(await refusal(sync()), [403, 'Cannot change this locked branch']);
  assert.equal(await tip(fork.git), place.root);
  await ok(bob.put(`${fork.at}/branches/main/protection`, { ...rule, allow_fork_syncing: true }));
  assert.equal((await ok(sync()))['merge_type'], 'fast-forward');
});

test('objects of the repository above come within the limits of pushes', async () => {
  const place = await newPlace();
  const fork = await forkOf(place);
  const { packs } = server.app.kernel.services;
  const { maxPushBytes } = packs;
  await addCommit(place.git, { a: 'a\n', large: '0123456789'.repeat(1000) }, { parents: [place.root] });
  Object.assign(packs, { maxPushBytes: 20 });
  try {
    const { status } = await bob.post(`${fork.at}/merge-upstream`, { branch: 'main' });
    assert.ok(status >= 400 && status < 500, String(status));
  } finally {
    Object.assign(packs, { maxPushBytes });
  }
  assert.equal(await tip(fork.git), place.root);
});
