// Parts of a code host that this server does not have: what clients hear who look for them, and what the root names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { Octokit } from 'octokit';
import { ABSENT_PARTS, absentPartAt } from '../../../src/host/absent-parts.ts';
import { hostApi } from '../../../src/host/api.ts';
import { describedPath, placesOf } from '../../../src/kernel/http/path-template.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { startServer, type TestServer } from '../../server.ts';

const VERSIONS = ['2022-11-28', '2026-03-10'];

let server: TestServer;
let ada: HostPerson;
let bob: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  await ada.repository('open', { auto_init: true });
  await ada.repository('hidden', { auto_init: true, private: true });
  const organization = { login: 'acme', admin: 'ada' };
  const { status } = await server.call('/admin/organizations', { method: 'POST', body: organization });
  assert.equal(status, 201);
});
after(() => server.stop());

const withoutNames = (path: string) => path.replace(/\{\?.*$/, '').replaceAll(/\{\w+\}/g, '{}');

const OWN = new Set(
  hostApi.routes.flatMap(({ shape }) =>
    placesOf(shape, hostApi.protocol.pathAliases).map(({ path }) => withoutNames(describedPath(path))),
  ),
);

test('every address that octokit knows is an operation here, or of a part that this server says it lacks', () => {
  const addresses = Object.values(new Octokit().rest).flatMap((methods) =>
    Object.values(methods as Record<string, { endpoint: { DEFAULTS: { url: string } } }>).map(
      ({ endpoint }) => endpoint.DEFAULTS.url,
    ),
  );
  const unknown = [...new Set(addresses)].filter((address) => {
    const path = withoutNames(address.replace('{base}...{head}', '{basehead}'));
    return !OWN.has(path) && absentPartAt(path.replaceAll('{}', 'x')) === undefined;
  });
  assert.deepEqual(unknown, []);
});

test('no operation of this server is in a part that it says it lacks', () => {
  const wrong = [...OWN].filter((path) => absentPartAt(path.replaceAll('{}', 'x')) !== undefined);
  assert.deepEqual(wrong, []);
});

test('who looks for a part that is not there hears so, whether the repository exists or not', async () => {
  for (const [path, what] of [
    ['/repos/ada/open/actions/runs', 'workflows'],
    ['/repos/ada/open/check-runs/1', 'checks'],
    ['/repos/ada/open/releases/latest', 'releases'],
    ['/repos/ada/open/commits/main/check-runs', 'checks'],
    ['/repos/ada/open/commits/feature/x/comments', 'comments on commits'],
    ['/repositories/1/keys', 'deploy keys'],
    ['/orgs/acme/packages', 'packages'],
    ['/users/ada/packages', 'packages'],
    ['/search/code?q=x', 'search of code'],
    ['/notifications', 'notifications'],
  ] as const) {
    for (const prefix of ['', '/api/v3'])
      for (const version of VERSIONS)
        for (const token of [null, ada.token]) {
          const headers = { 'x-host-api-version': version };
          const { status, json } = await server.call(prefix + path, { token, headers });
          assert.equal(status, 404, path);
          assert.match(String(json['message']), new RegExp(`^Not Found: this server has no ${what}`));
          assert.equal(json['documentation_url'], `${server.url}/docs/host#differences`);
        }
  }
  const texts = new Set<string>();
  for (const name of ['ada/open', 'ada/hidden', 'ada/none', 'nobody/none'])
    for (const token of [null, ada.token, bob.token])
      for (const [method, rest] of [
        ['GET', 'actions/runs'],
        ['POST', 'actions/workflows/1/dispatches'],
        ['PUT', 'actions/x'],
        ['DELETE', 'actions/runs/1'],
      ] as const)
        texts.add((await server.call(`/repos/${name}/${rest}`, { method, token })).text);
  for (const name of ['ada/hidden', 'ada/none'])
    for (const token of [null, bob.token])
      assert.match(
        (await server.call(`/repos/${name}/commits/main/check-runs`, { token })).text,
        /no checks/,
      );
  assert.equal(texts.size, 1, [...texts].join('\n'));
  for (const path of [
    '/nothing/here',
    '/repos/ada/none',
    '/repos/ada/open/actionsx',
    '/repos/ada/open/nonsense',
  ]) {
    const { json } = await ada.get(path);
    assert.deepEqual([json['message'], json['status']], ['Not Found', '404'], path);
  }
});

test('the documentation lists the parts that are not there', async () => {
  const { text } = await server.call('/docs/host', { token: null });
  assert.match(text, /id="differences"/);
  const guide = readFileSync(
    new URL('../../../docs/guide/host-differences.md', import.meta.url),
    'utf8',
  ).replaceAll(/\s+/g, ' ');
  for (const { what } of ABSENT_PARTS) {
    assert.ok(text.includes(what), `/docs/host does not name ${what}`);
    assert.ok(guide.includes(what), `docs/guide/host-differences.md does not name ${what}`);
  }
});

/** Values for the parameters of the templates in the root. */
const VALUES: Record<string, string> = {
  query: 'ada',
  owner: 'ada',
  repo: 'open',
  org: 'acme',
  user: 'ada',
  repository_id: '1',
};

/** RFC 6570: parameters in an optional path or query are left out. */
const fill = (template: string) =>
  template
    .replaceAll(/\{[/?&][^}]*\}/g, '')
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => VALUES[name] ?? assert.fail(`no value for ${name}`));

test('every address in the root leads to something', async () => {
  for (const prefix of ['', '/api/v3'])
    for (const version of VERSIONS) {
      const headers = { 'x-host-api-version': version };
      const { json } = await server.call(`${prefix}/`, { token: null, headers });
      assert.ok(Object.keys(json).length >= 31);
      for (const [name, template] of Object.entries<string>(json)) {
        const url = new URL(fill(template));
        assert.equal(url.origin, server.url, name);
        // A 404 of the limits says that they are off.
        if (name === 'rate_limit_url') continue;
        const answer = await ada.call(url.pathname + url.search, { headers });
        assert.equal(answer.status, 200, `${name}: ${template}`);
      }
    }
  const { json } = await server.call('/', { token: null });
  assert.equal(json['code_search_url'], `${server.url}/docs/host#differences`);
  assert.equal(json['user_search_url'], `${server.url}/search/users?q={query}{&page,per_page,sort,order}`);
});
