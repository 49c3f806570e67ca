// Custom repository roles on the host API, on each engine: row 9 of the catalogue.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createPerson, createTestOrganization, expectStatus, type Person } from '../organization-calls.ts';

const OLD = { 'x-host-api-version': '2022-11-28' };
const NEW = { 'x-host-api-version': '2026-03-10' };

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Person;
  let bob: Person;
  let eve: Person;
  let organization: Json;
  const PATH = '/orgs/guild/custom-repository-roles';
  const expect = (status: number, method: string, path: string, init: CallInit = {}) =>
    expectStatus(server, status, method, path, init);

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await createPerson(server, 'ada');
    bob = await createPerson(server, 'bob');
    eve = await createPerson(server, 'eve');
    organization = await createTestOrganization(server, 'guild', { admin: 'ada', members: ['bob'] });
    await createTestOrganization(server, 'others', { admin: 'eve' });
  });
  after(() => server.stop());

  const createRole = async (name: string) => {
    const body = { name, base_role: 'read', permissions: ['add_label', 'add_label'] };
    return (await expect(201, 'POST', PATH, { body, token: ada.token })).json;
  };

  test('a role is created, read, changed and deleted', async () => {
    const role = await createRole('Labeler');
    assert.deepEqual(
      [role['name'], role['base_role'], role['permissions'], role['description'], role['organization'].login],
      ['Labeler', 'read', ['add_label'], null, 'guild'],
    );
    const path = `${PATH}/${role['id']}`;
    assert.deepEqual((await expect(200, 'GET', path, { token: bob.token })).json, role);
    const body = {
      name: 'labeler',
      description: 'Sorts',
      base_role: 'triage',
      permissions: ['delete_issue'],
    };
    const { json } = await expect(200, 'PATCH', path, { body, token: ada.token });
    for (const [field, value] of Object.entries(body)) assert.deepEqual(json[field], value);
    const { json: same } = await expect(200, 'PATCH', path, { body: {}, token: ada.token });
    assert.deepEqual(same['permissions'], ['delete_issue']);
    await expect(404, 'GET', `/orgs/others/custom-repository-roles/${role['id']}`);
    await expect(204, 'DELETE', path, { token: ada.token });
    for (const method of ['GET', 'DELETE']) await expect(404, method, path, { token: ada.token });
  });

  test('H18 roles are listed at the new path in both versions, at the old one in the old version only', async () => {
    await createRole('Listed');
    const { json } = await expect(200, 'GET', PATH, { token: bob.token, headers: NEW });
    assert.deepEqual([json['total_count'], json['custom_roles'][0].name], [1, 'Listed']);
    const old = `/organizations/${organization['id']}/custom_roles`;
    for (const path of [PATH, old])
      assert.deepEqual((await expect(200, 'GET', path, { token: bob.token, headers: OLD })).json, json);
    await expect(404, 'GET', old, { token: bob.token, headers: NEW });
    const { headers } = await expect(200, 'GET', old, { headers: OLD });
    assert.equal(headers.get('deprecation'), 'Tue, 10 Mar 2026 00:00:00 GMT');
    for (const path of [PATH, old]) {
      await expect(403, 'GET', path, { token: eve.token });
      await expect(401, 'GET', path, { token: null });
    }
    await expect(404, 'GET', '/organizations/1/custom_roles');
  });

  test('a bad role is refused and changes nothing', async () => {
    const { id } = await createRole('Kept');
    const known = (await expect(200, 'GET', PATH)).json;
    const good = { name: 'New', base_role: 'read', permissions: [] };
    const wrong = [
      { name: '' },
      { name: ' New' },
      { name: 'KEPT' },
      { name: 'Write' },
      { name: 'pull' },
      { name: 7 },
      { name: 'nul\0' },
      { name: 'x'.repeat(101) },
      { description: 'x'.repeat(1001) },
      { base_role: 'admin' },
      { base_role: null },
      { permissions: 'add_label' },
      { permissions: ['rule_the_world'] },
    ];
    for (const part of wrong) {
      const body = { ...good, ...part };
      const { status, text } = await server.call(PATH, { method: 'POST', body, token: ada.token });
      assert.equal(status, 422, `${JSON.stringify(part)} ${text}`);
      if ((part as { name?: unknown }).name !== 'KEPT')
        await expect(422, 'PATCH', `${PATH}/${id}`, { body: part, token: ada.token });
    }
    for (const field of ['name', 'base_role', 'permissions'])
      await expect(422, 'POST', PATH, { body: { ...good, [field]: undefined }, token: ada.token });
    for (const { token, status } of [
      { token: null, status: 401 },
      { token: bob.token, status: 403 },
      { token: eve.token, status: 403 },
    ]) {
      await expect(status, 'POST', PATH, { body: good, token });
      await expect(status, 'PATCH', `${PATH}/${id}`, { body: good, token });
      await expect(status, 'DELETE', `${PATH}/${id}`, { token });
    }
    await expect(404, 'GET', `${PATH}/2147483647`);
    await expect(404, 'GET', `${PATH}/x`);
    assert.deepEqual((await expect(200, 'GET', PATH)).json, known);
  });

  test('eight callers who create a role of one name at once create one', async () => {
    const body = { name: 'Race', base_role: 'write', permissions: [] };
    const calls = Array.from({ length: 8 }, () => server.call(PATH, { method: 'POST', body }));
    const statuses = (await Promise.all(calls))
      .map(({ status }) => status)
      .toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 422)]);
  });
});
