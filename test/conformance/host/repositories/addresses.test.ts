// The addresses in replies of the host: each leads to something, or to an error that says what this server lacks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { makeApp } from '../../../app-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { createTestOrganization } from '../organization-calls.ts';

let server: TestServer;
let ada: HostPerson;
let sha: string;
let repository: Json;

before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  await createTestOrganization(server, 'acme', { admin: 'ada' });
  repository = await ada.repository('demo', { auto_init: true, license_template: 'mit' });
  const { json } = await ada.get('/repos/ada/demo/git/ref/heads/main');
  sha = json['object'].sha as string;
});
after(() => server.stop());

async function made(
  person: { call: HostPerson['call'] },
  method: string,
  path: string,
  body?: unknown,
): Promise<Json> {
  const answer = await person.call(path, { method, ...(body !== undefined && { body }) });
  assert.ok(answer.status >= 200 && answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.text === '' ? {} : answer.json;
}

/** Representations of everything that has addresses. */
async function representations(): Promise<Json[]> {
  const at = '/repos/ada/demo';
  const post = (path: string, body?: unknown) => made(ada, 'POST', path, body);
  const get = (path: string) => made(ada, 'GET', path);
  const hook = { config: { url: 'https://example.com/hook' }, active: false };
  const blob = await post(`${at}/git/blobs`, { content: 'x' });
  const tag = await post(`${at}/git/tags`, { tag: 'v1', message: 'v1', object: sha, type: 'commit' });
  await post(`${at}/git/refs`, { ref: 'refs/tags/v1', sha: tag['sha'] });
  Object.assign(ids, { blobs_url: blob['sha'], git_tags_url: tag['sha'], git_refs_url: 'heads/main' });
  const file = { message: 'a', content: Buffer.from('a').toString('base64') };
  await made(ada, 'PUT', `${at}/contents/docs/a%20b.txt`, file);
  await made(ada, 'PUT', `${at}/branches/main/protection`, {
    required_status_checks: { strict: true, contexts: ['ci'] },
    enforce_admins: true,
    required_pull_request_reviews: {},
    restrictions: null,
  });
  const gist = await post('/gists', { public: true, files: { 'a.txt': { content: 'a' } } });
  const gistAt = `/gists/${String(gist['id'])}`;
  await post('/orgs/acme/repos', { name: 'tools', auto_init: true });
  await post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed', repo_names: ['acme/tools'] });
  const app = await makeApp(server, 'ada', { name: 'Bell', permissions: { metadata: 'read' } });
  const installation = await app.install('ada');
  await made(ada, 'PUT', '/user/starred/ada/demo');
  await made(ada, 'PUT', '/repos/acme/tools/subscription', { subscribed: true });
  const shown = [
    blob,
    tag,
    gist,
    await post(`${gistAt}/comments`, { body: 'a' }),
    await post(`${at}/statuses/${sha}`, { state: 'success' }),
    await post(`${at}/hooks`, hook),
    await post('/orgs/acme/hooks', { name: 'web', ...hook }),
    await made(ada, 'PUT', `${at}/subscription`, { subscribed: true }),
    await made(app, 'GET', '/app'),
    await made(app, 'GET', '/app/installations'),
    await made(app, 'GET', `/app/installations/${installation.number}`),
  ];
  const below = [
    '',
    '/readme',
    '/license',
    '/contents/docs',
    '/contents/docs/a%20b.txt',
    '/tags',
    '/events',
    '/git/refs',
    '/git/ref/tags/v1',
    `/git/commits/${sha}`,
    `/git/trees/${sha}?recursive=1`,
    '/commits',
    '/commits/main',
    `/compare/${sha}...main`,
    `/commits/${sha}/status`,
    '/branches',
    '/branches/main',
    '/branches/main/protection',
  ].map((path) => at + path);
  const others = [
    '/user',
    '/users/ada',
    '/user/repos',
    '/user/orgs',
    '/user/starred',
    '/search/users?q=ada',
    '/orgs/acme',
    '/orgs/acme/teams',
    '/orgs/acme/teams/crew',
    '/orgs/acme/memberships/ada',
    '/repos/acme/tools',
    '/repos/acme/tools/teams',
    '/gists',
    `${gistAt}/commits`,
    '/apps/bell',
    '/feeds',
    '/licenses',
  ];
  for (const path of [...below, ...others]) shown.push(await get(path));
  return shown;
}

/** Addresses by the name of the field that has them. */
function addressesIn(
  value: unknown,
  found = new Map<string, Set<string>>(),
  name = '',
): Map<string, Set<string>> {
  if (typeof value === 'string' && /(?:^|_)(?:url|href)$/.test(name)) {
    if (!found.has(name)) found.set(name, new Set());
    found.get(name)!.add(value);
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      addressesIn(inner, found, Array.isArray(value) ? name : key);
  return found;
}

/** The objects that templates of the repository ask for, where it is not a commit. */
const ids: Record<string, string> = {};

const filled = (template: string, name = '') =>
  template
    .replace('{base}...{head}', 'main...main')
    .replace('{archive_format}', 'tarball')
    .replace('{+path}', 'README.md')
    .replace('{/sha}', () => `/${ids[name] ?? sha}`)
    .replace('{sha}', () => sha)
    .replaceAll(/\{[/?&][^}]*\}/g, '')
    .replaceAll('{org}', 'acme')
    .replaceAll('{user}', 'ada');

/** Pages for people, of which this server has those of apps and the documentation alone. */
const PAGES = [
  'html_url',
  'svn_url',
  'blob_url',
  'permalink_url',
  'diff_url',
  'patch_url',
  'target_url',
  'external_url',
];
/** Those that take other methods than GET. */
const CALLED_OTHERWISE = ['ping_url', 'test_url', 'access_tokens_url', 'merges_url'];
/** Of parts that this server does not have. */
const ABSENT = [
  'comments_url',
  'deployments_url',
  'downloads_url',
  'keys_url',
  'notifications_url',
  'releases_url',
];

test('every address in a reply leads to something, or to what this server says it does not have', async () => {
  const found = addressesIn(await representations());
  assert.ok(found.size > 60, `${found.size} fields`);
  const absent = new Set<string>();
  const nowhere: string[] = [];
  for (const [name, templates] of found) {
    if (PAGES.includes(name) || CALLED_OTHERWISE.includes(name)) continue;
    for (const template of templates) {
      if (!template.startsWith(server.url)) continue;
      // The objects are those of the other repository.
      if (template.includes('acme/tools') && template.includes('sha}')) continue;
      const { pathname, search } = new URL(filled(template, name));
      // A clone begins so.
      const isGit = pathname.endsWith('.git');
      const path = isGit ? `${pathname}/info/refs?service=git-upload-pack` : pathname + search;
      const { status, text } = await ada.call(path);
      if (status !== 404) {
        assert.ok(status < 400 || status === 401 || status === 403, `${name} ${template}: ${status}`);
        continue;
      }
      if (/this server has no /.test(text)) absent.add(name);
      else nowhere.push(`${name} ${template}`);
    }
  }
  assert.deepEqual(nowhere, []);
  assert.deepEqual([...absent].toSorted(), ABSENT);
});

test('the guide names the fields whose addresses lead nowhere', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/host-differences.md', import.meta.url), 'utf8');
  for (const name of [...ABSENT, 'html_url', 'svn_url', 'blob_url', 'permalink_url', 'diff_url', 'patch_url'])
    assert.ok(guide.includes(`\`${name}\``), name);
});

test('addresses for git are those that git can use: there is no SSH and no protocol of its own', async () => {
  for (const path of ['/repos/ada/demo', `/repositories/${String(repository['id'])}`]) {
    const { json } = await ada.get(path);
    const clone = `${server.url}/ada/demo.git`;
    const { clone_url, ssh_url, git_url, mirror_url, svn_url, html_url } = json;
    assert.deepEqual([clone_url, ssh_url, git_url, mirror_url], [clone, clone, clone, null]);
    assert.equal(svn_url, html_url);
  }
  const { json } = await ada.get('/user/repos');
  for (const { ssh_url, clone_url } of json as unknown as Json[]) assert.equal(ssh_url, clone_url);
});

test('the raw address of a changed file leads to the file, of a private repository with a token', async () => {
  await ada.repository('secret', { auto_init: true, private: true });
  for (const [name, anonymous] of [
    ['demo', 200],
    ['secret', 404],
  ] as const) {
    const { json } = await ada.get(`/repos/ada/${name}/commits/${name === 'demo' ? sha : 'main'}`);
    const readme = (json['files'] as Json[]).find(({ filename }) => filename === 'README.md')!;
    const { pathname } = new URL(readme['raw_url'] as string);
    assert.equal((await ada.get(pathname)).text, `# ${name}\n`);
    assert.equal((await server.call(pathname, { token: null })).status, anonymous);
  }
});

test('nobody follows anybody, and the feeds are where they are said to be', async () => {
  for (const path of [
    '/user/followers',
    '/user/following',
    '/users/ada/followers',
    '/users/acme/following',
  ]) {
    const { status, json } = await ada.get(path);
    assert.deepEqual([status, json], [200, []], path);
    assert.equal((await ada.get(`${path}?page=0`)).status, 422);
    assert.equal((await ada.post(path)).status, 404);
    assert.equal((await server.call(path, { token: null })).status, path.startsWith('/user/') ? 401 : 200);
  }
  for (const path of ['/users/nobody/followers', '/users/nobody/following'])
    assert.equal((await ada.get(path)).json['message'], 'Not Found');
  for (const [method, path] of [
    ['PUT', '/user/following/admin'],
    ['GET', '/user/following/admin'],
    ['GET', '/users/ada/following/admin'],
  ] as const) {
    const { status, json } = await ada.call(path, { method });
    assert.deepEqual(
      [status, json['message']],
      [404, 'Not Found: this server has no following of people.'],
      path,
    );
  }
  const { json: anonymous } = await server.call('/feeds', { token: null });
  assert.deepEqual(Object.keys(anonymous).toSorted(), ['_links', 'timeline_url', 'user_url']);
  const { json: own } = await ada.get('/feeds');
  assert.equal(own['current_user_actor_url'], `${server.url}/users/ada/events`);
  for (const link of Object.values(own['_links'] as Record<string, Json>)) {
    const { status, headers } = await ada.get(new URL(filled(link['href'] as string)).pathname);
    assert.deepEqual([status, headers.get('content-type')?.startsWith(link['type'] as string)], [200, true]);
  }
});
