// The catalogue of breaking changes of version 2026-03-10, row by row: what each version answers, nested resources included.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type Answer, type CallInit, type TestServer } from '../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const BETA = 'application/vnd.github.beta+json';

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
  return server.call(path, { ...init, headers });
}

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

const LINK_ENABLED = 'secret_scanning_push_protection_custom_link_enabled';

test('H21 the old version changes and shows whether the link of push protection is enabled, the new one does neither', async () => {
  const create = { login: 'linked', admin: 'admin' };
  const { status, text } = await server.call('/admin/organizations', { method: 'POST', body: create });
  assert.equal(status, 201, text);
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
