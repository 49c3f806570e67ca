// The catalogue of breaking changes of version 2026-03-10 on calls that show issues and pull requests: the issues themselves, and repositories nested in them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostApi } from '../../../../src/host/api.ts';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';
import { IssueReply } from '../../../../src/host/issues/model.ts';
import { hasDownloadsRemoved } from '../../../../src/host/versions/2026-03-10/has-downloads-removed.ts';
import { squashTitleDefaultRemoved } from '../../../../src/host/versions/2026-03-10/squash-title-default-removed.ts';
import { betaPullRequestRemoved } from '../../../../src/host/versions/2026-03-10/beta-pull-request.ts';
import { schemaInVersion } from '../../../../src/kernel/versions/schema-version.ts';
import { affectedOperations } from '../../../../src/kernel/versions/version-effects.ts';
import { findOperation } from '../../../../scripts/find-operation.ts';
import { join } from '../../../people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const V3 = 'application/vnd.github.v3+json';
const BETA = 'application/vnd.github.beta+json';
const NO_LINKS = { url: null, html_url: null, diff_url: null, patch_url: null };

test('H14 H15 H17 issues and the repositories in them are converted together', () => {
  const links = { url: 'u', html_url: 'h', diff_url: 'd', patch_url: 'p', merged_at: null };
  const repository = { default_branch: 'main', squash_merge_commit_title: 'PR_TITLE' };
  const inOld = (variant: string | undefined, issue: Json): Json =>
    schemaInVersion(IssueReply, OLD, hostApi.protocol.versions, variant).downgrade!(issue) as Json;
  const { pull_request: none, repository: nested } = inOld('beta', {
    number: 1,
    repository: { ...repository },
  });
  assert.deepEqual(none, NO_LINKS);
  assert.deepEqual(nested, {
    ...repository,
    use_squash_pr_title_as_default: true,
    has_downloads: true,
    master_branch: 'main',
  });
  assert.deepEqual(inOld('beta', { pull_request: links })['pull_request'], links);
  assert.deepEqual(inOld(undefined, { number: 1, repository: { ...repository } }), {
    number: 1,
    repository: { ...repository, use_squash_pr_title_as_default: true, has_downloads: true },
  });
});

let server: TestServer;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

/** What a reply has of issues or repositories, at any depth. */
function findIn(body: unknown, ...names: string[]): Json[] {
  if (typeof body !== 'object' || body === null) return [];
  const inner = Object.values(body).flatMap((value) => findIn(value, ...names));
  return names.every((name) => name in body) ? [body, ...inner] : inner;
}

/** Those that a test of this file has called in a version. */
const called = new Set<string>();

async function call(
  version: string,
  accept: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Json> {
  const headers = { accept, 'x-github-api-version': version };
  const facts = { method, path, headers, status: 200, type: '', text: '' };
  called.add(`${findOperation(hostApi, facts)!.id} in ${version}`);
  const answer = await server.call(path, { method, headers, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.json;
}

function assertRepositories(json: Json, version: string, accept: string, told: string): void {
  for (const repository of findIn(json, 'full_name', 'default_branch')) {
    assert.equal(repository['has_downloads'], version === OLD ? true : undefined, told);
    const hasTitle = version === OLD && 'squash_merge_commit_title' in repository;
    assert.equal('use_squash_pr_title_as_default' in repository, hasTitle, told);
    const master = version === OLD && accept === BETA ? repository['default_branch'] : undefined;
    assert.equal(repository['master_branch'], master, told);
  }
}

const WAYS = [
  [OLD, V3],
  [OLD, BETA],
  [NEW, V3],
  [NEW, BETA],
] as const;

test(
  'H14 H15 H17 every call that shows an issue answers in its version and media type',
  needsGit,
  async () => {
    await call(NEW, V3, 'POST', '/user/repos', { name: 'shown' });
    await server.call('/admin/organizations', { method: 'POST', body: { login: 'shows', admin: 'admin' } });
    await call(NEW, V3, 'POST', '/orgs/shows/repos', { name: 'shown' });
    const at = '/repos/admin/shown/issues';
    for (const [version, accept] of WAYS) {
      const show = async (method: string, path: string, body?: unknown): Promise<Json> => {
        const json = await call(version, accept, method, path, body);
        const told = `${method} ${path} in ${version} with ${accept}`;
        const issues = findIn(json, 'number', 'repository_url', 'labels_url');
        assert.ok(issues.length > 0, told);
        const expected = version === OLD && accept === BETA ? NO_LINKS : undefined;
        for (const issue of issues) assert.deepEqual(issue['pull_request'], expected, told);
        assertRepositories(json, version, accept, told);
        return json;
      };
      const one = await show('POST', at, { title: 'One', assignees: ['admin'] });
      const other = await show('POST', at, { title: 'Other' });
      const last = await show('POST', at, { title: 'Last' });
      await show('POST', '/repos/shows/shown/issues', { title: 'There', assignees: ['admin'] });
      const path = `${at}/${one['number']}`;
      await show('GET', path);
      await show('PATCH', path, { body: `Like #${other['number']}.` });
      await show('DELETE', `${path}/assignees`, { assignees: ['admin'] });
      await show('POST', `${path}/assignees`, { assignees: ['admin'] });
      for (const list of [at, '/issues', '/user/issues', '/orgs/shows/issues']) await show('GET', list);
      await show('POST', `${path}/sub_issues`, { sub_issue_id: other['id'] });
      await show('POST', `${path}/sub_issues`, { sub_issue_id: last['id'] });
      await show('GET', `${path}/sub_issues`);
      await show('GET', `${at}/${other['number']}/parent`);
      const order = { sub_issue_id: last['id'], before_id: other['id'] };
      await show('PATCH', `${path}/sub_issues/priority`, order);
      await show('DELETE', `${path}/sub_issue`, { sub_issue_id: other['id'] });
      await show('POST', `${path}/dependencies/blocked_by`, { issue_id: other['id'] });
      await show('GET', `${path}/dependencies/blocked_by`);
      await show('GET', `${at}/${other['number']}/dependencies/blocking`);
      await show('DELETE', `${path}/dependencies/blocked_by/${other['id']}`);
      for (const told of ['events', 'timeline'])
        await call(version, accept, 'GET', `${path}/${told}?per_page=2`);
      const [event] = (await show('GET', `${at}/events`)) as unknown as Json[];
      await show('GET', `${at}/events/${event!['id']}`);
    }
  },
);

test(
  'H14 H15 H17 the repositories on both sides of a pull request are shown in the version and media type of the call',
  needsGit,
  async () => {
    const at = '/repos/admin/pulled';
    await call(NEW, V3, 'POST', '/user/repos', { name: 'pulled', auto_init: true });
    await join(server, 'rita');
    await server.call(`${at}/collaborators/rita`, { method: 'PUT' });
    const { object } = await call(NEW, V3, 'GET', `${at}/git/ref/heads/main`);
    for (const [index, [version, accept]] of WAYS.entries()) {
      const head = `side-${index}`;
      await call(NEW, V3, 'POST', `${at}/git/refs`, { ref: `refs/heads/${head}`, sha: object.sha });
      const content = Buffer.from(head).toString('base64');
      const written = await call(NEW, V3, 'PUT', `${at}/contents/${head}`, {
        message: head,
        content,
        branch: head,
      });
      const show = async (method: string, path: string, body?: unknown): Promise<Json> => {
        const json = await call(version, accept, method, path, body);
        const told = `${method} ${path} in ${version} with ${accept}`;
        assert.ok(findIn(json, 'full_name', 'default_branch').length >= 2, told);
        assertRepositories(json, version, accept, told);
        return json;
      };
      const pull = await show('POST', `${at}/pulls`, { title: head, head, base: 'main' });
      await show('GET', `${at}/pulls/${pull['number']}`);
      await show('PATCH', `${at}/pulls/${pull['number']}`, { body: 'Read it.' });
      for (const method of ['POST', 'DELETE'])
        await show(method, `${at}/pulls/${pull['number']}/requested_reviewers`, { reviewers: ['rita'] });
      await show('GET', `${at}/pulls`);
      await show('GET', `${at}/commits/${written['commit'].sha}/pulls`);
    }
  },
);

test(
  'H14 H15 the test above has called every operation that shows a pull request under both versions',
  needsGit,
  () => {
    const missing = [...hasDownloadsRemoved, ...squashTitleDefaultRemoved]
      .flatMap((change) => affectedOperations(change, hostApi).map(({ shape }) => shape.id))
      .filter((id) => id.startsWith('pulls/') || id.includes('pull-request'))
      .flatMap((id) => [`${id} in ${OLD}`, `${id} in ${NEW}`])
      .filter((one) => !called.has(one));
    assert.deepEqual(missing, []);
  },
);

/** Feeds are called by host-issue-feeds.test.ts, and timelines have issues of references alone. */
const ELSEWHERE = /^activity\/|^issues\/list-events-for-timeline$/;

test(
  'H17 the test above has called every operation that shows an issue under both versions',
  needsGit,
  () => {
    const missing = affectedOperations(betaPullRequestRemoved, hostApi)
      .map(({ shape }) => shape.id)
      .filter((id) => !ELSEWHERE.test(id))
      .flatMap((id) => [`${id} in ${OLD}`, `${id} in ${NEW}`])
      .filter((one) => !called.has(one));
    assert.deepEqual(missing, []);
  },
);
