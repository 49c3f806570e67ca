// The command `import repo` from one server to another: content that octokit made, an import that is killed and interrupted on the way,
// and a source with a rate limit.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from 'octokit';
import { makeFolder, run, start } from '../../src/cli/fixture.ts';
import { createHttpServer, request } from '../../src/kernel/network/http-client.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost } from '../host-people.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';

const SHOP = { owner: 'admin', repo: 'shop' };
const AT = '2020-03-01T10:00:00Z';
/** More than two pages. */
const MANY = 205;

let there: TestServer;
let proxy: ReturnType<typeof createHttpServer>;
let source: string;
/** Answers a request to the source itself where it returns true. */
let intercept: (incoming: IncomingMessage, answer: ServerResponse) => boolean = () => false;

before(async () => {
  there = await startServer({ limits: 'off' });
  proxy = createHttpServer((incoming, answer) => {
    if (intercept(incoming, answer)) return;
    const { method, headers, url } = incoming;
    const outgoing = request(`${there.url}${url}`, { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  source = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/admin/shop`;
  await fillSource();
});
after(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await there.stop();
});

async function fillSource(): Promise<void> {
  const bea = await joinHost(there, 'bea');
  const octokit = new Octokit({ baseUrl: there.url, auth: ADMIN_TOKEN, throttle: { enabled: false } });
  const { rest } = octokit;
  await rest.repos.createForAuthenticatedUser({ name: SHOP.repo, auto_init: true });
  await rest.repos.addCollaborator({ ...SHOP, username: 'bea' });
  await rest.issues.createLabel({ ...SHOP, name: 'urgent', color: '123456', description: 'Now' });
  await rest.issues.createMilestone({ ...SHOP, title: 'First', due_on: AT });
  const first = {
    title: 'One',
    body: 'Fixes #2 for @bea',
    labels: ['urgent'],
    milestone: 1,
    assignees: ['bea'],
  };
  await rest.issues.create({ ...SHOP, ...first });
  await rest.issues.create({ ...SHOP, title: 'Two' });
  await rest.issues.createComment({ ...SHOP, issue_number: 1, body: 'A word' });
  await bea.post(`/repos/admin/shop/issues/2/comments`, { body: 'Another, from bea' });
  await rest.issues.update({ ...SHOP, issue_number: 2, state: 'closed', state_reason: 'not_planned' });
  await rest.issues.lock({ ...SHOP, issue_number: 2, lock_reason: 'resolved' });
  const main = (await rest.git.getRef({ ...SHOP, ref: 'heads/main' })).data.object.sha;
  for (const branch of ['merged', 'open', 'dropped']) {
    await rest.git.createRef({ ...SHOP, ref: `refs/heads/${branch}`, sha: main });
    const content = Buffer.from(`${branch}\n`).toString('base64');
    const file = { path: `${branch}.txt`, content, branch };
    await rest.repos.createOrUpdateFileContents({ ...SHOP, ...file, message: `Add ${branch}, fixes #1` });
    await rest.pulls.create({ ...SHOP, head: branch, base: 'main', title: `Bring ${branch}` });
  }
  const merged = (await rest.git.getRef({ ...SHOP, ref: 'heads/merged' })).data.object.sha;
  await rest.git.updateRef({ ...SHOP, ref: 'heads/main', sha: merged });
  await eventually(
    async () => (await rest.pulls.get({ ...SHOP, pull_number: 3 })).data.merged,
    'the merge of the pull request',
  );
  await eventually(
    async () => (await rest.issues.get({ ...SHOP, issue_number: 1 })).data.state === 'closed',
    'the end of the first issue',
  );
  await rest.issues.update({ ...SHOP, issue_number: 1, state: 'open' });
  const asBea = new Octokit({ baseUrl: there.url, auth: bea.token, throttle: { enabled: false } });
  const { data: open } = await rest.pulls.get({ ...SHOP, pull_number: 4 });
  const reviewed = { ...SHOP, pull_number: 4, commit_id: open.head.sha };
  await asBea.rest.pulls.createReview({ ...reviewed, event: 'APPROVE', body: 'Fine' });
  const place = { path: 'open.txt', line: 1, side: 'RIGHT' as const };
  const asked = await asBea.rest.pulls.createReviewComment({ ...reviewed, ...place, body: 'Why?' });
  const reply = { ...SHOP, pull_number: 4, comment_id: asked.data.id, body: 'Because.' };
  await rest.pulls.createReplyForReviewComment(reply);
  // The commits of a branch that is gone stay with the pull request.
  await rest.git.deleteRef({ ...SHOP, ref: 'heads/dropped' });
  await eventually(
    async () => (await rest.pulls.get({ ...SHOP, pull_number: 5 })).data.state === 'closed',
    'the end of the dropped pull request',
  );
  await fillMore();
}

/** Old issues without accounts, which an import has brought there. */
async function fillMore(): Promise<void> {
  const at = '/admin/repos/admin/shop/import';
  await there.call(at, { method: 'PUT', body: { source: 'https://code.example.org/older/shop' } });
  const issues = Array.from({ length: MANY }, (_, index) => ({
    source_id: index + 1,
    number: index + 10,
    title: `Old ${index}`,
    body: null,
    author: 'stranger',
    state: index % 2 === 0 ? 'closed' : 'open',
    state_reason: null,
    locked: false,
    lock_reason: null,
    labels: [],
    assignees: [],
    milestone: null,
    created_at: AT,
    updated_at: AT,
    closed_at: index % 2 === 0 ? AT : null,
    closed_by: null,
  }));
  for (let from = 0; from < MANY; from += 100) {
    const body = { issues: issues.slice(from, from + 100) };
    const sent = await there.call(at, { method: 'POST', body });
    assert.equal(sent.status, 200, sent.text);
  }
  await there.call(at, { method: 'DELETE' });
}

onEachEngine((engine) => {
  const data = makeFolder();
  let here: TestServer;
  before(async () => {
    here = await startServerOn(engine, { limits: 'off' });
    await joinHost(here, 'bea');
  });
  after(() => here.stop());

  const argv = () => ['import', 'repo', source, '--allow-private', '--to-url', here.url, '--data', data];
  const env = { SIGNALBOX_TOKEN: ADMIN_TOKEN, SOURCE: ADMIN_TOKEN, PATH: process.env['PATH'] };
  const words = (json: Json, ...names: string[]) => names.map((name) => json[name]);
  const COMPARED = ['title', 'state', 'state_reason', 'locked', 'active_lock_reason', 'comments'];
  const TIMES = ['created_at', 'updated_at', 'closed_at'];

  /** Ends the command by a signal when it asks the source for something. */
  async function interrupt(
    signal: NodeJS.Signals,
    at: RegExp,
  ): Promise<{ code: number | null; err: string }> {
    const child = start([...argv(), '--token-env', 'SOURCE'], env);
    intercept = ({ url }) => {
      if (!at.test(url!)) return false;
      child.kill(signal);
      return true;
    };
    const ended = await child.ended;
    intercept = () => false;
    return ended;
  }

  test('an import that was killed and interrupted goes on, and brings everything once', async () => {
    await interrupt('SIGKILL', /\/issues\?.*page=2/);
    const interrupted = await interrupt('SIGINT', /\/issues\/comments/);
    assert.equal(interrupted.code, 130, interrupted.err);
    assert.match(interrupted.err, /stays with what it has so far: the same command goes on/);
    const { code, out, err } = await run([...argv(), '--token-env', 'SOURCE'], { env });
    assert.equal(code, 0, err);
    const summary = JSON.parse(out) as Json;
    assert.deepEqual(words(summary, 'branches', 'tags'), [3, 0]);
    assert.match(summary['leftOut'].at(-1), /^Reactions, timelines/);

    const both = async (path: string) => {
      const [one, other] = [await there.call(path), await here.call(path)];
      assert.deepEqual([one.status, other.status], [200, 200], path);
      return [one.json, other.json] as const;
    };
    for (const number of [1, 2, 3, 4, 5, 10, 11, 10 + MANY - 1]) {
      const [one, other] = await both(`/repos/admin/shop/issues/${number}`);
      assert.deepEqual(words(other, ...COMPARED, ...TIMES), words(one, ...COMPARED, ...TIMES), `${number}`);
      assert.equal(other['user'].login, one['user'].login);
      assert.deepEqual(other['milestone']?.number, one['milestone']?.number);
      assert.deepEqual(
        other['assignees'].map(({ login }: Json) => login),
        one['assignees'].map(({ login }: Json) => login),
      );
      assert.deepEqual(
        other['labels'].map(({ name, color }: Json) => [name, color]),
        one['labels'].map(({ name, color }: Json) => [name, color]),
      );
    }
    for (const number of [3, 4, 5]) {
      const names = ['merged', 'merged_at', 'merge_commit_sha', 'commits', 'additions', 'changed_files'];
      const [one, other] = await both(`/repos/admin/shop/pulls/${number}`);
      assert.deepEqual(
        words(other, 'merged', 'merged_at', 'commits'),
        words(one, 'merged', 'merged_at', 'commits'),
      );
      if (one['merged'] === true) assert.deepEqual(words(other, ...names), words(one, ...names));
      for (const side of ['base', 'head'])
        assert.deepEqual(words(other[side], 'ref', 'sha'), words(one[side], 'ref', 'sha'));
      const [files, copied] = await both(`/repos/admin/shop/pulls/${number}/files`);
      assert.deepEqual(
        (copied as Json[]).map(({ filename, patch }) => [filename, patch]),
        (files as Json[]).map(({ filename, patch }) => [filename, patch]),
      );
    }
    const [comments, copied] = await both('/repos/admin/shop/issues/comments');
    const shown = (list: Json) =>
      (list as Json[]).map(({ body, user, created_at: at }) => [body, user.login, at]);
    assert.deepEqual(shown(copied), shown(comments));
    const [reviews, copiedReviews] = await both('/repos/admin/shop/pulls/4/reviews');
    const verdicts = (list: Json) =>
      (list as Json[]).map((one) => [
        ...words(one, 'state', 'body', 'commit_id', 'submitted_at'),
        one['user'].login,
      ]);
    assert.equal(verdicts(reviews).length, 3);
    assert.deepEqual(verdicts(copiedReviews), verdicts(reviews));
    const [questions, copiedQuestions] = await both('/repos/admin/shop/pulls/4/comments');
    const lines = (list: Json) =>
      (list as Json[]).map((one) => [
        ...words(one, 'body', 'path', 'line', 'side', 'diff_hunk', 'created_at', 'original_commit_id'),
        one['in_reply_to_id'] === (list as Json[])[0]!['id'],
      ]);
    assert.equal(lines(questions).length, 2);
    assert.deepEqual(lines(copiedQuestions), lines(questions));
    const [one, other] = await both('/repos/admin/shop');
    assert.equal(other['open_issues_count'], one['open_issues_count']);
    assert.equal((await here.call('/repos/admin/shop/git/matching-refs/import')).text, '[]');
    const created = await here.call('/repos/admin/shop/issues', { method: 'POST', body: { title: 'New' } });
    assert.equal(created.json['number'], 10 + MANY);
    const again = await run([...argv(), '--token-env', 'SOURCE'], { env });
    assert.match(again.err, /exists already/);
  });

  test('without the rights of an administrator, and with --no-issues, branches and tags come alone', async () => {
    const cleo = await joinHost(here, 'cleo');
    const asCleo = { ...env, SIGNALBOX_TOKEN: cleo.token };
    const member = await run([...argv(), '--token-env', 'SOURCE', '--name', 'mine'], { env: asCleo });
    assert.equal(member.code, 0, member.err);
    assert.match(JSON.parse(member.out).leftOut[0], /only administrators of the server import them/);
    const plain = await run([...argv(), '--no-issues', '--name', 'plain'], { env });
    assert.deepEqual([plain.code, JSON.parse(plain.out).leftOut], [0, []], plain.err);
    assert.equal((await here.call('/repos/admin/plain/issues?state=all')).text, '[]');
  });

  test('a source that asks for patience gets it, and one without an API says so', async () => {
    let refusals = 0;
    intercept = ({ url }, answer) => {
      if (!/\/milestones/.test(url!) || refusals === 2) return false;
      refusals += 1;
      const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' };
      answer.writeHead(refusals === 1 ? 403 : 429, refusals === 1 ? limit : { 'retry-after': '0' });
      answer.end(JSON.stringify({ message: 'Too fast.' }));
      return true;
    };
    const slow = await run([...argv(), '--token-env', 'SOURCE', '--name', 'slow'], { env });
    assert.deepEqual([slow.code, refusals], [0, 2], slow.err);
    assert.match(slow.err, /Too fast\. Trying again in 0 s\./);
    intercept = ({ url }, answer) => {
      if (!url!.startsWith('/api/v3/repos/admin/shop')) return false;
      answer.writeHead(404).end('nothing');
      return true;
    };
    const bare = await run([...argv(), '--token-env', 'SOURCE', '--name', 'bare'], { env });
    intercept = () => false;
    assert.equal(bare.code, 0, bare.err);
    assert.match(JSON.parse(bare.out).leftOut[0], /answers 404, and no repository/);
  });
});
