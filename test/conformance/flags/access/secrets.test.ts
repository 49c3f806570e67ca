// Secrets of the flag service are hidden from callers who may not see them, and from the audit log.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';

const SECRET = 'nobody-is-to-know-this';

let server: TestServer;
const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
let people = 0;

async function tokenFor(...inlinePolicy: PolicyStatement[]): Promise<string> {
  people += 1;
  const member = await join(server, `person-${people}`, { role: 'admin' });
  return (await giveToken(server, member, { inlinePolicy })).value;
}

async function lastEntry(): Promise<string> {
  const { json } = await call('auditlog?limit=1');
  return (await call(`auditlog/${json['items'][0]._id}`)).text;
}

before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('the secret of a webhook', () => {
  async function makeHook(): Promise<string> {
    const body = { url: 'https://example.com/hook', on: false, sign: true, secret: SECRET, name: 'hook' };
    return `webhooks/${(await call('webhooks', { method: 'POST', body })).json['_id'] as string}`;
  }
  const patch = (path: string, body: Json[], token?: string) =>
    call(path, { method: 'PATCH', body, ...(token !== undefined && { token }) });

  test('F36: a patch that tests for it does not bring it into the audit log', async () => {
    const path = await makeHook();
    for (const [index, at] of ['/secret', ''].entries()) {
      const value = at === '' ? (await call(path)).json : SECRET;
      const renaming = { op: 'replace', path: '/name', value: `renamed ${index}` };
      assert.equal((await patch(path, [{ op: 'test', path: at, value }, renaming])).status, 200);
      const entry = await lastEntry();
      assert.match(entry, new RegExp(`renamed ${index}`));
      assert.doesNotMatch(entry, new RegExp(SECRET));
    }
  });

  test('F35: who may not change it can neither try values for it nor copy it', async () => {
    const path = await makeHook();
    const token = await tokenFor({
      effect: 'allow',
      actions: ['viewWebhook', 'updateName'],
      resources: ['webhook/*'],
    });
    const statuses = [];
    for (const value of [SECRET, 'another']) {
      statuses.push((await patch(path, [{ op: 'test', path: '/secret', value }], token)).status);
    }
    assert.deepEqual(statuses, [409, 409]);
    const copied = await patch(path, [{ op: 'copy', from: '/secret', path: '/name' }], token);
    assert.equal(copied.status, 422);
    assert.doesNotMatch(copied.text, new RegExp(SECRET));
    assert.equal((await patch(path, [{ op: 'add', path: '/secret', value: 'x' }], token)).status, 401);
    const renamed = await patch(path, [{ op: 'replace', path: '/name', value: 'other' }], token);
    assert.deepEqual([renamed.status, renamed.json['secret']], [200, undefined]);
    const seen = (await call(path)).json;
    assert.deepEqual([seen['name'], seen['secret']], ['other', SECRET]);
  });
});

describe('an audit entry', () => {
  test('F35: of a project that the caller may not see stays closed, whatever else of the log they may see', async () => {
    await call('projects', { method: 'POST', body: { key: 'closed', name: 'Closed' } });
    const { json } = await call('auditlog?limit=1&spec=proj/closed');
    const token = await tokenFor({ effect: 'allow', actions: ['viewAuditLog'], resources: ['*'] });
    const listed = await call('auditlog?spec=proj/closed', { token });
    assert.deepEqual([listed.status, listed.json['items']], [200, []]);
    const refused = await call(`auditlog/${json['items'][0]._id as string}`, { token });
    assert.deepEqual([refused.status, refused.json['code']], [403, 'forbidden']);
  });
});
