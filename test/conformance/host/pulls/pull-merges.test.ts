// Merging of pull requests on a running server: the three methods, who may, what is refused, and what follows.
import assert from 'node:assert/strict';
import { GitClient, gitUrl } from '../../../clients/git-client.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import { addCommit, git as runGit } from '../../../../src/host/git/fixture-repository.ts';
import { updateRefs } from '../../../../src/host/git/refs/update-refs.ts';
import type { GitRepository } from '../../../../src/host/git/repository.ts';
import { recordPushes } from '../../../../src/host/pushes/record-pushes.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';

const SERVER = 'Signalbox <noreply@signalbox.example>';
const BOB = { name: 'Bob', email: 'bob@work.test', time: 1_700_000_000_000, zone: 60 };

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;
  let place = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    eve = await joinHost(server, 'eve');
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.status === 204 ? {} : got.json;
  };
  const refusal = ({ status, json }: Answer) => [status, json['message']];

  interface Place {
    at: string;
    name: string;
    number: number;
    git: GitRepository;
    root: string;
    /** Opens a pull request of a new branch with these commits. */
    open(branch: string, commits: readonly Record<string, string>[], fields?: Json): Promise<Json>;
    merge(number: number, body?: Json, who?: HostPerson): Promise<Answer>;
    pull(number: number): Promise<Json>;
    log(ref: string, format: string): string;
  }

  const FILES = { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' };

  async function newPlace(fields: Json = {}): Promise<Place> {
    place += 1;
    const name = `merged-${place}`;
    const { id } = await ada.repository(name, fields);
    const number = id as number;
    const { kernel } = server.app;
    const git = kernel.services.git.repository(number);
    const root = await addCommit(git, FILES);
    await recordPushes(kernel, number);
    const at = `/repos/ada/${name}`;
    return {
      at,
      name,
      number,
      git,
      root,
      async open(branch, commits, more = {}) {
        await updateRefs(git, [{ name: `refs/heads/${branch}`, from: undefined, to: root }]);
        let parent = root;
        let files: Record<string, string> = FILES;
        for (const [index, changed] of commits.entries()) {
          files = { ...files, ...changed };
          const message = `${branch} ${index + 1}\n\nText ${index + 1}\n`;
          parent = await addCommit(git, files, { branch, parents: [parent], author: BOB, message });
        }
        await recordPushes(kernel, number);
        const sent = { title: `Title of ${branch}`, head: branch, base: 'main', ...more };
        return await ok(ada.post(`${at}/pulls`, sent));
      },
      merge: (pull, body = {}, who = ada) => who.put(`${at}/pulls/${pull}/merge`, body),
      pull: (pull) => ok(ada.get(`${at}/pulls/${pull}`)),
      log: (ref, format) => runGit(git, 'log', '-1', `--format=${format}`, ref),
    };
  }

  const eventsOf = async ({ id }: Json): Promise<string[]> => {
    const rows = await server.app.kernel.db
      .selectFrom('issue_events')
      .select('event')
      .where('issue_id', '=', id)
      .orderBy('id')
      .execute();
    return rows.map(({ event }) => event);
  };

  test('a merge is a commit with both parents, which clones see, and closes the pull request', async () => {
    const { at, name, open, merge, pull, root, log } = await newPlace();
    const config = { url: `${receiver.url}/${name}`, content_type: 'json' };
    await ok(ada.post(`${at}/hooks`, { config, events: ['pull_request', 'push'] }));
    await ok(ada.put(`${at}/collaborators/bob`, { permission: 'push' }));
    const opened = await open('feature', [{ b: '1\n' }, { b: '2\n' }]);
    const head = opened['head'].sha;
    const done = await merge(1, { sha: head }, bob);
    assert.deepEqual(
      [done.status, done.json['merged'], done.json['message']],
      [200, true, 'Pull Request successfully merged'],
    );
    const { sha } = done.json;
    assert.equal(
      log('main', '%H|%P|%an|%cn <%ce>|%B'),
      `${sha}|${root} ${head}|bob|${SERVER}|Merge pull request #1 from ada/feature\n\nTitle of feature`,
    );
    const client = new GitClient('Eve');
    await client.run('', 'clone', '--quiet', gitUrl(server, ada.token, `ada/${name}`), 'copy');
    assert.equal(await client.run('copy', 'rev-parse', 'HEAD'), sha);
    const merged = await pull(1);
    assert.deepEqual(
      [merged['state'], merged['merged'], merged['merged_by'].login, merged['merge_commit_sha']],
      ['closed', true, 'bob', sha],
    );
    assert.deepEqual(
      [merged['mergeable'], merged['mergeable_state'], merged['base'].sha, merged['head'].sha],
      [null, 'unknown', root, head],
    );
    assert.equal((await ada.get(`${at}/pulls/1/merge`)).status, 204);
    assert.equal((await ada.get(`${at}/pulls/1/commits`)).json.length, 2);
    assert.equal((await ok(ada.get(at)))['open_issues_count'], 0);
    assert.deepEqual((await eventsOf(merged)).slice(-2), ['merged', 'closed']);
    const told = (event: string) =>
      receiver.at(`/${name}`).filter(({ headers }) => headers['x-github-event'] === event);
    await eventually(
      () => told('push').some(({ json }) => json['after'] === sha) && told('pull_request').length === 2,
      'webhooks',
    );
    // They come in no particular order.
    const closed = told('pull_request')
      .map(({ json }) => json)
      .find(({ action }) => action !== 'opened');
    checkWebhookPayload('pull_request', closed!);
    assert.deepEqual(
      [closed!['action'], closed!['pull_request'].merged, closed!['sender'].login],
      ['closed', true, 'bob'],
    );
    const pushed = told('push').find(({ json }) => json['after'] === sha)!.json;
    assert.deepEqual(
      [pushed['pusher'].name, pushed['before'], pushed['ref']],
      ['bob', root, 'refs/heads/main'],
    );
    assert.deepEqual(refusal(await merge(1)), [405, 'Pull Request is not mergeable']);
  });

  test('a squash is one commit of the author of the pull request, with the others as co-authors', async () => {
    const { open, merge, log, root, pull } = await newPlace();
    const { head } = await open('feature', [{ b: '1\n' }, { c: '1\n' }]);
    const { sha } = await ok(merge(1, { merge_method: 'squash' }));
    assert.equal(
      log('main', '%H|%P|%an <%ae>|%cn <%ce>|%B'),
      `${sha}|${root}|ada <${ada.member.number}+ada@users.noreply.signalbox.example>|${SERVER}|` +
        'Title of feature (#1)\n\n* feature 1\n\nText 1\n\n* feature 2\n\nText 2\n\nCo-authored-by: Bob <bob@work.test>',
    );
    const merged = await pull(1);
    assert.deepEqual(
      [merged['merged'], merged['merge_commit_sha'], merged['head'].sha],
      [true, sha, head.sha],
    );
  });

  test('a rebase repeats each commit with its author, and the merger as committer', async () => {
    const { open, merge, log, git, pull, number, root } = await newPlace();
    await open('feature', [{ b: '1\n' }, { c: '1\n' }]);
    const base = await addCommit(git, { ...FILES, z: 'z' }, { parents: [root] });
    await recordPushes(server.app.kernel, number);
    const { sha } = await ok(merge(1, { merge_method: 'rebase' }));
    assert.equal(
      log('main', '%H|%an <%ae> %at|%cn|%B'),
      `${sha}|Bob <bob@work.test> 1700000000|ada|feature 2\n\nText 2`,
    );
    assert.equal(log('main~2', '%H'), base);
    assert.equal((await pull(1))['merge_commit_sha'], sha);
  });

  test('titles and messages are those of the settings, in both versions, or those of the call', async () => {
    const { at, open, merge, log } = await newPlace();
    const headers = { 'x-github-api-version': '2022-11-28' };
    const body = { use_squash_pr_title_as_default: true, squash_merge_commit_message: 'PR_BODY' };
    await ok(ada.call(at, { method: 'PATCH', headers, body }));
    await ok(ada.patch(at, { merge_commit_title: 'PR_TITLE', merge_commit_message: 'PR_BODY' }));
    const long = `${'x'.repeat(65_000)}\r\nend`;
    await open('one', [{ b: '1\n' }], { body: long });
    await ok(merge(1, { merge_method: 'squash' }));
    const text = `${'x'.repeat(65_000)}\nend`;
    const named = '\n\nCo-authored-by: Bob <bob@work.test>';
    assert.equal(log('main', '%B'), `Title of one (#1)\n\n${text}${named}`);
    await open('two', [{ c: '1\n' }], { body: 'Why' });
    await ok(merge(2));
    assert.equal(log('main', '%B'), 'Title of two (#2)\n\nWhy');
    await open('three', [{ d: '1\n' }]);
    await ok(merge(3, { commit_title: 'Own title', commit_message: 'Own text' }));
    assert.equal(log('main', '%B'), 'Own title\n\nOwn text');
  });

  test('what cannot be merged is refused, and nothing is changed', async () => {
    const { at, open, merge, pull, git, number, root } = await newPlace();
    await open('feature', [{ 'a.txt': 'other\n' }]);
    await open('draft', [{ d: '1\n' }], { draft: true });
    await open('closed', [{ e: '1\n' }]);
    await ok(ada.patch(`${at}/pulls/3`, { state: 'closed' }));
    const { head } = await pull(1);
    assert.deepEqual(refusal(await merge(1, { sha: root })), [
      409,
      'Head branch was modified. Review and try the merge again.',
    ]);
    assert.equal((await merge(1, { sha: head.sha.slice(0, 8) })).status, 409);
    const base = await addCommit(git, { 'a.txt': 'changed\n' }, { parents: [root] });
    await recordPushes(server.app.kernel, number);
    for (const [method, message] of [
      ['merge', 'Pull Request is not mergeable'],
      ['squash', 'Pull Request is not mergeable'],
      ['rebase', "This branch can't be rebased."],
    ])
      assert.deepEqual(refusal(await merge(1, { merge_method: method })), [405, message]);
    assert.deepEqual(refusal(await merge(2)), [405, 'Pull Request is still a draft.']);
    assert.deepEqual(refusal(await merge(3)), [405, 'Pull Request is not mergeable']);
    assert.equal((await merge(9)).status, 404);
    for (const body of [
      { merge_method: 'fast-forward' },
      { sha: 7 },
      { commit_title: 'x'.repeat(1025) },
      { commit_message: 'x'.repeat(65_537) },
      { commit_message: 'a\0b' },
    ])
      assert.equal((await merge(1, body)).status, 422);
    assert.equal(await git.readRef('refs/heads/main'), base);
    assert.equal((await pull(1))['state'], 'open');
    assert.equal((await ada.get(`${at}/pulls/1/merge`)).status, 404);
    const intents = await server.app.kernel.db.selectFrom('merge_intents').selectAll().execute();
    assert.deepEqual(intents, []);
  });

  test('methods that the repository switches off are refused', async () => {
    const { at, open, merge } = await newPlace();
    await open('feature', [{ b: '1\n' }]);
    await ok(ada.patch(at, { allow_merge_commit: false, allow_rebase_merge: false }));
    assert.deepEqual(refusal(await merge(1)), [405, 'Merge commits are not allowed on this repository.']);
    assert.deepEqual(refusal(await merge(1, { merge_method: 'rebase' })), [
      405,
      'Rebase merges are not allowed on this repository.',
    ]);
    await ok(ada.patch(at, { allow_merge_commit: true, allow_squash_merge: false }));
    assert.deepEqual(refusal(await merge(1, { merge_method: 'squash' })), [
      405,
      'Squash merges are not allowed on this repository.',
    ]);
    assert.equal((await merge(1)).status, 200);
  });

  test('merging is for those who may write, and a private repository does not exist for others', async () => {
    const { at, open, merge } = await newPlace();
    await open('feature', [{ b: '1\n' }]);
    await ok(ada.put(`${at}/collaborators/bob`, { permission: 'triage' }));
    assert.equal((await merge(1, {}, bob)).status, 403);
    assert.equal((await merge(1, {}, eve)).status, 403);
    const anonymous = { method: 'PUT', token: null, body: {} };
    assert.equal((await server.call(`${at}/pulls/1/merge`, anonymous)).status, 401);
    await ok(ada.patch(at, { archived: true }));
    assert.equal((await merge(1)).status, 403);
    await ok(ada.patch(at, { archived: false }));
    await ok(ada.patch(at, { private: true }));
    assert.equal((await merge(1, {}, eve)).status, 404);
    assert.equal((await merge(1)).status, 200);
  });

  test('an app merges with write access to contents, and not with that to pull requests', async () => {
    const { open, merge, pull, name } = await newPlace();
    await open('feature', [{ b: '1\n' }]);
    const permissions = { contents: 'write', pull_requests: 'write' } as const;
    const app = await makeApp(server, 'ada', { name: 'Merging', permissions });
    const installation = await app.install('ada');
    const put = async (granted: Json) =>
      await server.call(`/repos/ada/${name}/pulls/1/merge`, {
        method: 'PUT',
        body: {},
        token: await app.token(installation, { permissions: granted }),
      });
    const refused = await put({ pull_requests: 'write', contents: 'read' });
    assert.deepEqual(refusal(refused), [403, 'Resource not accessible by integration']);
    assert.equal((await put({ contents: 'write' })).status, 200);
    assert.equal((await pull(1))['merged_by'].login, 'merging[bot]');
    assert.equal((await merge(1)).status, 405);
  });

  test('rules of the base that are not met refuse the merge with their reasons', async () => {
    const { at, open, merge, pull } = await newPlace();
    await open('feature', [{ b: '1\n' }]);
    const rule = {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
      required_linear_history: true,
    };
    await ok(ada.put(`${at}/branches/main/protection`, rule));
    assert.deepEqual(refusal(await merge(1)), [
      405,
      'At least 1 approving review is required by reviewers with write access. This branch must not contain merge commits.',
    ]);
    assert.equal((await pull(1))['state'], 'open');
    await ok(ada.put(`${at}/branches/main/protection`, { ...rule, required_pull_request_reviews: null }));
    assert.equal((await merge(1)).status, 405);
    assert.equal((await merge(1, { merge_method: 'squash' })).status, 200);
  });

  test('a merge takes what was pushed a moment ago', async () => {
    const { open, merge, git, pull } = await newPlace();
    const { head } = await open('feature', [{ b: '1\n' }]);
    const files = { ...FILES, b: '2\n' };
    const pushed = await addCommit(git, files, { branch: 'feature', parents: [head.sha] });
    assert.equal((await merge(1, { sha: head.sha })).status, 409);
    await ok(merge(1, { sha: pushed }));
    const merged = await pull(1);
    assert.deepEqual([merged['head'].sha, merged['commits']], [pushed, 2]);
  });

  test('closing words of the pull request close issues where the base is the default branch', async () => {
    const { at, open, merge, git, root } = await newPlace();
    for (const title of ['A', 'B', 'C']) await ok(ada.post(`${at}/issues`, { title }));
    await updateRefs(git, [{ name: 'refs/heads/release', from: undefined, to: root }]);
    await open('one', [{ b: '1\n' }], { base: 'release', body: 'Fixes #1' });
    await ok(merge(4, { merge_method: 'squash', commit_message: '' }));
    await open('two', [{ c: '1\n' }], { title: 'Closes #2', body: 'Resolves #3, see #1' });
    await ok(merge(5, { merge_method: 'squash', commit_title: 'Own', commit_message: '' }));
    const states = [1, 2, 3].map(async (issue) => (await ok(ada.get(`${at}/issues/${issue}`)))['state']);
    assert.deepEqual(await Promise.all(states), ['open', 'closed', 'closed']);
    const { closed_by: by } = await ok(ada.get(`${at}/issues/2`));
    assert.equal(by.login, 'ada');
  });

  test('the branch is deleted where the setting says so, and others that were to be merged into it go on', async () => {
    const { at, open, merge, git, pull, number, root } = await newPlace({ delete_branch_on_merge: true });
    const one = await open('one', [{ b: '1\n' }]);
    await updateRefs(git, [{ name: 'refs/heads/two', from: undefined, to: one['head'].sha }]);
    const files = { ...FILES, b: '1\n', c: '1\n' };
    await addCommit(git, files, { branch: 'two', parents: [one['head'].sha] });
    await recordPushes(server.app.kernel, number);
    await ok(ada.post(`${at}/pulls`, { title: 'Two', head: 'two', base: 'one' }));
    await ok(merge(1));
    assert.equal(await git.readRef('refs/heads/one'), undefined);
    await eventually(async () => (await pull(2))['base'].ref === 'main', 'the other base');
    const two = await pull(2);
    assert.deepEqual([two['state'], two['commits']], ['open', 1]);
    await eventually(async () => (await eventsOf(one)).includes('head_ref_deleted'), 'the deletion');
    // Of the same branch into another: it stays while that is open.
    await updateRefs(git, [{ name: 'refs/heads/release', from: undefined, to: root }]);
    await recordPushes(server.app.kernel, number);
    await ok(ada.post(`${at}/pulls`, { title: 'Two', head: 'two', base: 'release' }));
    await ok(merge(2));
    assert.ok(await git.readRef('refs/heads/two'));
    // What is protected stays.
    await open('three', [{ d: '1\n' }]);
    const off = { required_status_checks: null, required_pull_request_reviews: null, restrictions: null };
    await ok(ada.put(`${at}/branches/three/protection`, { ...off, enforce_admins: null }));
    await ok(merge(4));
    assert.ok(await git.readRef('refs/heads/three'));
    // The default branch stays.
    await ok(ada.patch(at, { default_branch: 'two' }));
    await ok(merge(3));
    assert.ok(await git.readRef('refs/heads/two'));
  });

  test('the branch of a fork is deleted by those who may write there', async () => {
    const { at, name, merge, number } = await newPlace({ delete_branch_on_merge: true });
    await ok(ada.put(`${at}/collaborators/bob`, { permission: 'push' }));
    await ok(bob.post(`${at}/forks`, {}));
    const fork = `/repos/bob/${name}`;
    await eventually(async () => (await bob.get(`${fork}/git/ref/heads/main`)).status === 200, 'the fork');
    const { id } = await ok(bob.get(fork));
    const forkGit = server.app.kernel.services.git.repository(id);
    const root = (await forkGit.readRef('refs/heads/main'))!;
    for (const [index, branch] of ['x', 'y'].entries()) {
      await updateRefs(forkGit, [{ name: `refs/heads/${branch}`, from: undefined, to: root }]);
      await addCommit(forkGit, { ...FILES, [branch]: '1\n' }, { branch, parents: [root] });
      await recordPushes(server.app.kernel, id);
      await ok(bob.post(`${at}/pulls`, { title: branch, head: `bob:${branch}`, base: 'main' }));
      const done = await ok(merge(index + 1, { merge_method: 'squash' }, index === 0 ? ada : bob));
      const git = server.app.kernel.services.git.repository(number);
      assert.equal(await git.readRef('refs/heads/main'), done['sha']);
    }
    assert.ok(await forkGit.readRef('refs/heads/x'));
    assert.equal(await forkGit.readRef('refs/heads/y'), undefined);
  });

  test('eight clients that merge one pull request at once merge it once', async () => {
    const { open, merge, git, pull } = await newPlace();
    await open('feature', [{ b: '1\n' }]);
    const methods = ['merge', 'squash', 'rebase'];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => merge(1, { merge_method: methods[index % 3] })),
    );
    const done = answers.filter(({ status }) => status === 200);
    assert.equal(done.length, 1);
    for (const { status } of answers) assert.ok([200, 405, 409].includes(status), String(status));
    assert.equal(await git.readRef('refs/heads/main'), done[0]!.json['sha']);
    assert.equal((await pull(1))['merge_commit_sha'], done[0]!.json['sha']);
    const intents = await server.app.kernel.db.selectFrom('merge_intents').selectAll().execute();
    assert.deepEqual(intents, []);
  });

  test('eight clients that merge into one branch at once lose nothing', async () => {
    const { open, merge, git, at } = await newPlace();
    for (let index = 1; index <= 8; index += 1) await open(`b${index}`, [{ [`f${index}`]: '1\n' }]);
    const mergeUntilDone = async (index: number) => {
      for (let tries = 0; tries < 50; tries += 1) {
        const answer = await merge(index, { merge_method: index % 2 === 0 ? 'merge' : 'squash' });
        if (answer.status === 200) return;
        assert.deepEqual(refusal(answer), [405, 'Base branch was modified. Review and try the merge again.']);
      }
      assert.fail('It was never merged.');
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => mergeUntilDone(index + 1)));
    const main = (await git.readRef('refs/heads/main'))!;
    for (let index = 1; index <= 8; index += 1) assert.ok(await git.findEntry(main, `f${index}`));
    assert.equal((await ada.get(`${at}/pulls`)).json.length, 0);
  });
});
