// The catalogue of breaking changes of version 2026-03-10, row by row: what each version answers, nested resources included.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostApi } from '../../../src/host/api.ts';
import { needsGit } from '../../../src/host/git/fixture-repository.ts';
import { hasDownloadsRemoved } from '../../../src/host/versions/2026-03-10/has-downloads-removed.ts';
import { squashTitleDefaultRemoved } from '../../../src/host/versions/2026-03-10/squash-title-default-removed.ts';
import { affectedOperations } from '../../../src/kernel/versions/version-effects.ts';
import { findOperation } from '../../../scripts/find-operation.ts';
import { startServer, type Answer, type CallInit, type TestServer } from '../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const BETA = 'application/vnd.github.beta+json';
/** Lists of starred repositories then have the time of each star. */
const STAR = 'application/vnd.github.v3.star+json';

let server: TestServer;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

interface VersionedInit extends CallInit {
  accept?: string;
}

function callIn(
  version: string,
  path: string,
  { accept = '*/*', ...init }: VersionedInit = {},
): Promise<Answer> {
  const headers = { ...init.headers, accept, 'x-github-api-version': version };
  const { method = 'GET' } = init;
  const found = findOperation(hostApi, { method, path, headers, status: 200, type: '', text: '' });
  if (found !== undefined) called.add(`${found.id} in ${version}`);
  return server.call(path, { ...init, headers });
}

/** Operations and versions that the tests of this file have called. */
const called = new Set<string>();

test('H17 e-mail addresses are text with the beta media type in the old version, and objects otherwise', async () => {
  const { json: objects } = await callIn(NEW, '/user/emails');
  const [{ email }] = objects as unknown as [{ email: string }];
  assert.equal(typeof email, 'string');
  for (const path of ['/user/emails', '/api/v3/user/emails?per_page=1']) {
    const beta = await callIn(OLD, path, { accept: BETA });
    assert.deepEqual(beta.json, [email]);
    assert.equal(beta.headers.get('x-github-media-type'), 'github.beta; format=json');
    assert.deepEqual((await callIn(OLD, path)).json, objects);
    const ignored = await callIn(NEW, path, { accept: BETA });
    assert.deepEqual(ignored.json, objects);
    assert.equal(ignored.headers.get('x-github-media-type'), 'github.v3; format=json');
  }
  for (const [version, accept, isText] of [
    [OLD, BETA, true],
    [OLD, '*/*', false],
    [NEW, BETA, false],
  ] as const) {
    const address = `added-${version}-${isText}@example.com`;
    const added = await callIn(version, '/user/emails', { method: 'POST', body: [address], accept });
    assert.equal(added.status, 201);
    const texts = added.json as unknown as unknown[];
    assert.equal(texts.includes(address), isText, added.text);
  }
});

async function createOrganization(login: string): Promise<number> {
  const body = { login, admin: 'admin' };
  const { status, text, json } = await server.call('/admin/organizations', { method: 'POST', body });
  assert.equal(status, 201, text);
  return json['id'] as number;
}

test('H11 the old version creates teams with a permission, the new one ignores it', needsGit, async () => {
  await createOrganization('teamed');
  for (const name of ['first', 'second']) {
    const { status } = await callIn(NEW, '/orgs/teamed/repos', { method: 'POST', body: { name } });
    assert.equal(status, 201);
  }
  const create = (version: string, body: unknown) =>
    callIn(version, '/orgs/teamed/teams', { method: 'POST', body });
  for (const [version, sent, permission, canPush] of [
    [OLD, 'push', 'push', true],
    [OLD, 'pull', 'pull', false],
    [OLD, undefined, 'pull', false],
    [NEW, 'push', 'pull', false],
    [NEW, 'anything', 'pull', false],
  ] as const) {
    const name = `team ${version} ${sent}`;
    const repos = ['teamed/first', 'teamed/second'];
    const created = await create(version, { name, permission: sent, repo_names: repos });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.json['permission'], permission, name);
    for (const repository of repos) {
      const path = `/orgs/teamed/teams/${created.json['slug'] as string}/repos/${repository}`;
      const granted = await callIn(NEW, path, { accept: 'application/vnd.github.v3.repository+json' });
      assert.equal(granted.json['role_name'], canPush ? 'write' : 'read', `${name} on ${repository}`);
    }
  }
  assert.equal((await create(OLD, { name: 'wrong', permission: 'anything' })).status, 422);
  for (const [version, permission] of [
    [OLD, 'push'],
    [NEW, 'pull'],
  ] as const) {
    const again = await create(version, { name: 'Reviewers', permission: 'push' });
    assert.equal(again.json['permission'], permission, 'of the same request');
    assert.equal((await callIn(NEW, '/orgs/teamed/teams/reviewers', { method: 'DELETE' })).status, 204);
  }
});

test('H18 custom repository roles are at both paths in the old version, and at the new one alone in the new', async () => {
  const id = await createOrganization('rolled');
  const role = { name: 'Reviewer', base_role: 'read', permissions: [], description: 'Reviews' };
  const created = await callIn(NEW, '/orgs/rolled/custom-repository-roles', { method: 'POST', body: role });
  assert.equal(created.status, 201, created.text);
  const paths = [`/organizations/${id}/custom_roles`, '/orgs/rolled/custom-repository-roles'];
  for (const [path, version, status] of [
    [paths[0]!, OLD, 200],
    [paths[1]!, OLD, 200],
    [paths[0]!, NEW, 404],
    [paths[1]!, NEW, 200],
  ] as const) {
    const answer = await callIn(version, path);
    assert.equal(answer.status, status, `${path} in ${version}`);
    if (status === 404) continue;
    assert.deepEqual(
      [answer.json['total_count'], answer.json['custom_roles'].map(({ name }: { name: string }) => name)],
      [1, ['Reviewer']],
    );
    assert.equal(answer.headers.get('deprecation') !== null, path === paths[0], path);
  }
});

const LINK_ENABLED = 'secret_scanning_push_protection_custom_link_enabled';

test('H21 the old version changes and shows whether the link of push protection is enabled, the new one does neither', async () => {
  await createOrganization('linked');
  const { json: known } = await callIn(OLD, '/orgs/linked');
  const patch = (version: string, body: unknown) =>
    callIn(version, '/orgs/linked', { method: 'PATCH', body });
  for (const path of ['/orgs/linked', `/organizations/${known['id'] as number}`, '/api/v3/orgs/linked']) {
    assert.equal((await callIn(OLD, path)).json[LINK_ENABLED], false);
    assert.ok(!(await callIn(NEW, path)).text.includes(LINK_ENABLED));
  }
  const on = await patch(OLD, {
    [LINK_ENABLED]: true,
    secret_scanning_push_protection_custom_link: 'https://a.test',
  });
  assert.equal(on.json[LINK_ENABLED], true, on.text);
  const ignored = await patch(NEW, { [LINK_ENABLED]: false, description: 'New' });
  assert.equal(ignored.status, 200, ignored.text);
  assert.ok(!ignored.text.includes(LINK_ENABLED));
  assert.equal(ignored.json['secret_scanning_push_protection_custom_link'], 'https://a.test');
  const { json } = await callIn(OLD, '/orgs/linked');
  assert.deepEqual([json[LINK_ENABLED], json['description']], [true, 'New']);
  assert.equal((await patch(OLD, { [LINK_ENABLED]: 'yes' })).status, 422);
  assert.equal((await patch(OLD, { [LINK_ENABLED]: false })).json[LINK_ENABLED], false);
});

interface NewRepository {
  path: string;
  id: number;
}

async function createRepository(name: string, body: Record<string, unknown> = {}): Promise<NewRepository> {
  const { status, json, text } = await callIn(NEW, '/user/repos', {
    method: 'POST',
    body: { name, ...body },
  });
  assert.equal(status, 201, text);
  return { path: `/repos/admin/${name}`, id: json['id'] as number };
}

/** The repositories of a reply, by the path of each: the body itself, items of a list, and nested ones. */
function repositoriesIn(body: unknown, at = ''): [at: string, repository: Record<string, unknown>][] {
  if (typeof body !== 'object' || body === null) return [];
  const inner = Object.entries(body).flatMap(([name, value]) => repositoriesIn(value, `${at}/${name}`));
  const isRepository = 'full_name' in body && 'default_branch' in body;
  return isRepository ? [[at, body], ...inner] : inner;
}

test(
  'H14 the old version has use_squash_pr_title_as_default in replies and requests, the new one has neither',
  needsGit,
  async () => {
    const { path, id } = await createRepository('squashed');
    const patch = (version: string, body: unknown) => callIn(version, path, { method: 'PATCH', body });
    const flagOf = ({ json }: Answer) => [
      json['use_squash_pr_title_as_default'],
      json['squash_merge_commit_title'],
    ];
    assert.deepEqual(flagOf(await callIn(OLD, path)), [false, 'COMMIT_OR_PR_TITLE']);
    const on = await patch(OLD, { use_squash_pr_title_as_default: true });
    assert.deepEqual(flagOf(on), [true, 'PR_TITLE']);
    assert.deepEqual(flagOf(await patch(NEW, { use_squash_pr_title_as_default: false })), [
      undefined,
      'PR_TITLE',
    ]);
    assert.deepEqual(flagOf(await callIn(OLD, `/repositories/${id}`)), [true, 'PR_TITLE']);
    assert.deepEqual(flagOf(await patch(OLD, { use_squash_pr_title_as_default: false })), [
      false,
      'COMMIT_OR_PR_TITLE',
    ]);
    const both = { use_squash_pr_title_as_default: false, squash_merge_commit_title: 'PR_TITLE' };
    assert.deepEqual(flagOf(await patch(OLD, both)), [true, 'PR_TITLE'], 'the new property counts');
    assert.equal((await patch(OLD, { use_squash_pr_title_as_default: 'yes' })).status, 422);
    assert.equal((await patch(NEW, { use_squash_pr_title_as_default: 'yes' })).status, 200);
    const made = await callIn(OLD, '/user/repos', {
      method: 'POST',
      body: { name: 'squashed-at-once', use_squash_pr_title_as_default: true },
    });
    assert.deepEqual(flagOf(made), [true, 'PR_TITLE']);
    assert.deepEqual(flagOf(await callIn(NEW, '/repos/admin/squashed-at-once')), [undefined, 'PR_TITLE']);
    const { json: list } = await callIn(OLD, '/user/repos');
    const listed = repositoriesIn(list).find(([, { name }]) => name === 'squashed');
    assert.equal(listed?.[1]['use_squash_pr_title_as_default'], true);
  },
);

test(
  'H14 H15 H17 repositories have the properties of their version and media type, wherever they are',
  needsGit,
  async () => {
    const { path, id } = await createRepository('everywhere', { auto_init: true });
    await createOrganization('nesting');
    const team = { name: 'Owners', repo_names: ['nesting/shared'] };
    for (const [at, body] of [
      ['/orgs/nesting/repos', { name: 'shared', auto_init: true }],
      ['/orgs/nesting/teams', team],
    ] as const)
      assert.equal((await callIn(NEW, at, { method: 'POST', body })).status, 201, at);
    const fork = { organization: 'nesting', name: 'forked' };
    assert.equal((await callIn(NEW, `${path}/forks`, { method: 'POST', body: fork })).status, 202);
    for (const [at, body] of [
      ['/user/starred/admin/everywhere', undefined],
      ['/repos/admin/everywhere/subscription', { subscribed: true }],
    ] as const)
      assert.ok((await callIn(NEW, at, { method: 'PUT', body })).status < 300, at);
    const places = [
      path,
      `/repositories/${id}`,
      '/user/repos',
      '/users/admin/repos',
      '/repositories',
      '/orgs/nesting/repos',
      '/orgs/nesting/teams/owners/repos',
      '/user/starred',
      '/users/admin/starred',
      '/user/subscriptions',
      '/users/admin/subscriptions',
      `${path}/commits/main/status`,
      `${path}/forks`,
    ];
    const ofTeam = '/orgs/nesting/teams/owners/repos/nesting/shared';
    for (const [version, word, hasDownloads, hasMaster] of [
      [OLD, 'v3', true, false],
      [OLD, 'beta', true, true],
      [NEW, 'beta', false, false],
    ] as const) {
      const { json } = await callIn(version, ofTeam, {
        accept: `application/vnd.github.${word}.repository+json`,
      });
      assert.deepEqual(
        ['has_downloads' in json, 'master_branch' in json],
        [hasDownloads, hasMaster],
        `${word} in ${version}`,
      );
    }
    for (const place of places) {
      for (const [version, accept] of [
        [OLD, '*/*'],
        [OLD, BETA],
        [OLD, STAR],
        [NEW, '*/*'],
        [NEW, BETA],
        [NEW, STAR],
      ] as const) {
        const { json, status, text } = await callIn(version, place, { accept });
        assert.equal(status, 200, text);
        const found = repositoriesIn(json);
        assert.ok(found.length > 0, place);
        for (const [at, repository] of found) {
          const told = `${place}${at} in ${version} with ${accept}`;
          const isOld = version === OLD;
          assert.equal(repository['has_downloads'], isOld ? true : undefined, told);
          const master = isOld && accept === BETA ? repository['default_branch'] : undefined;
          assert.equal(repository['master_branch'], master, told);
          const hasTitle = isOld && 'squash_merge_commit_title' in repository;
          assert.equal('use_squash_pr_title_as_default' in repository, hasTitle, told);
        }
      }
    }
  },
);

test(
  'H14 H15 H17 calls that create, change, fork, generate or transfer a repository answer in their version',
  needsGit,
  async () => {
    const { path } = await createRepository('written', { auto_init: true, is_template: true });
    await createOrganization('writing');
    for (const [index, [version, accept]] of (
      [
        [OLD, '*/*'],
        [OLD, BETA],
        [NEW, '*/*'],
        [NEW, BETA],
      ] as const
    ).entries()) {
      const send = async (method: string, at: string, body: unknown) => {
        const { json, status, text } = await callIn(version, at, { method, body, accept });
        assert.ok(status < 300, text);
        const told = `${method} ${at} in ${version} with ${accept}`;
        const isOld = version === OLD;
        const found = repositoriesIn(json);
        assert.ok(found.length > 0, told);
        for (const [, repository] of found) {
          assert.equal(repository['has_downloads'], isOld ? true : undefined, told);
          const hasTitle = isOld && 'squash_merge_commit_title' in repository;
          assert.equal('use_squash_pr_title_as_default' in repository, hasTitle, told);
          const master = isOld && accept === BETA ? repository['default_branch'] : undefined;
          assert.equal(repository['master_branch'], master, told);
        }
      };
      // Requests may say that there are no downloads, which was never true.
      await send('POST', '/user/repos', { name: `moving-${index}`, has_downloads: false });
      await send('POST', '/orgs/writing/repos', { name: `made-${index}`, has_downloads: true });
      await send('PATCH', path, { description: `for the ${index}th time` });
      await send('POST', `${path}/forks`, { organization: 'writing', name: `fork-${index}` });
      await send('POST', `${path}/generate`, { owner: 'writing', name: `generated-${index}` });
      await send('POST', `/repos/admin/moving-${index}/transfer`, { new_owner: 'writing' });
    }
    const wrong = { name: 'wrong', has_downloads: 'yes' };
    for (const [version, status] of [
      [OLD, 422],
      [NEW, 201],
    ] as const)
      assert.equal(
        (await callIn(version, '/user/repos', { method: 'POST', body: wrong })).status,
        status,
        version,
      );
  },
);

/** The tests of these call them under both versions: host-events.test.ts, host-catalogue-issues.test.ts, and those of apps. */
const ELSEWHERE = /^(activity\/list-(\w+-)*events|apps\/|issues\/|pulls\/|repos\/list-pull-requests)/;

test(
  'H14 H15 H17 the tests above have called every operation that shows a repository under both versions',
  needsGit,
  () => {
    const changes = [...hasDownloadsRemoved, ...squashTitleDefaultRemoved];
    const ids = new Set(
      changes.flatMap((one) => affectedOperations(one, hostApi).map(({ shape }) => shape.id)),
    );
    const missing = [...ids]
      .filter((id) => !ELSEWHERE.test(id))
      .flatMap((id) => [`${id} in ${OLD}`, `${id} in ${NEW}`])
      .filter((one) => !called.has(one));
    assert.deepEqual(missing, []);
  },
);
