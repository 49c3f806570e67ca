// Concurrent changes of organizations, their members, teams and custom roles on the host.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  createPerson,
  createTestOrganization,
  expectStatus,
  type Person,
} from '../conformance/host/organization-calls.ts';
import type { Json, TestServer } from '../server.ts';
import { CLIENTS, runClients } from './concurrent-clients.ts';

export function declareOrganizations(server: () => TestServer): void {
  const people: Person[] = [];
  const call: TestServer['call'] = (path, init) => server().call(path, init);

  before(async () => {
    for (let client = 0; client < CLIENTS; client += 1)
      people.push(await createPerson(server(), `client-${client}`));
    await createTestOrganization(server(), 'together', { admin: 'client-0' });
  });

  test('members join, leave, and change their roles', async () => {
    await runClients(
      server(),
      (client, round) => {
        const path = `/orgs/together/memberships/client-${(client + round) % CLIENTS}`;
        const body = { role: (client + round) % 3 === 0 ? 'admin' : 'member' };
        return round % 3 === 2 ? call(path, { method: 'DELETE' }) : call(path, { method: 'PUT', body });
      },
      { allowed: [200, 204, 403, 404, 422] },
    );
    const { json } = await expectStatus(server(), 200, 'GET', '/orgs/together/members?role=admin');
    assert.ok(json['length'] >= 1);
  });

  test('all admins leave or demote themselves at once, and one stays', async () => {
    for (const { username } of people)
      await expectStatus(server(), 200, 'PUT', `/orgs/together/memberships/${username}`, {
        body: { role: 'admin' },
      });
    const { count } = await runClients(
      server(),
      (client) => {
        const { username, token } = people[client]!;
        const path = `/orgs/together/memberships/${username}`;
        return client % 2 === 0
          ? call(path, { method: 'DELETE', token })
          : call(path, { method: 'PUT', body: { role: 'member' }, token });
      },
      { allowed: [200, 204, 403, 422], rounds: 1 },
    );
    assert.equal(count(200, 204), CLIENTS - 1);
    const { json } = await expectStatus(server(), 200, 'GET', '/orgs/together/members?role=admin');
    assert.equal(json['length'], 1);
  });

  test('an organization is changed, and no change is lost', async () => {
    const { entries, answers } = await runClients(server(), (client, round) =>
      call('/orgs/together', {
        method: 'PATCH',
        body:
          client < 4 ? { description: `${client}-${round}` } : { members_can_create_pages: round % 2 === 0 },
      }),
    );
    assert.equal(entries.length, answers.length);
  });

  test('organizations of one login come and go', async () => {
    const { count } = await runClients(
      server(),
      (client, round) =>
        (client + round) % 2 === 0
          ? call('/admin/organizations', { method: 'POST', body: { login: 'Passing-by', admin: 'client-1' } })
          : call('/orgs/passing-by', { method: 'DELETE' }),
      { allowed: [201, 202, 404, 422], isChained: false },
    );
    const isThere = (await call('/orgs/passing-by')).status === 200;
    assert.equal(count(201), count(202) + Number(isThere));
  });

  test('teams are nested, renamed and deleted while members come and go', async () => {
    const members = people.map(({ username }) => username);
    await createTestOrganization(server(), 'nested', { members });
    const ids: number[] = [];
    for (const name of ['one', 'two', 'three']) {
      const body = { name, privacy: 'closed' };
      const { json } = await expectStatus(server(), 201, 'POST', '/orgs/nested/teams', { body });
      ids.push(json['id'] as number);
    }
    await runClients(
      server(),
      (client, round) => {
        const path = `/teams/${ids[(client + round) % 3]}`;
        if (client < 2)
          return call(path, { method: 'PATCH', body: { parent_team_id: ids[(client + round + 1) % 3] } });
        if (client < 4) return call(path, { method: 'PATCH', body: { name: `name ${client} ${round}` } });
        const member = `${path}/memberships/client-${client}`;
        return round % 2 === 0 ? call(member, { method: 'PUT' }) : call(member, { method: 'DELETE' });
      },
      { allowed: [200, 204, 404, 422], isChained: false },
    );
    for (const id of ids) await expectChainEnds(id);
    const { count } = await runClients(server(), () => call(`/teams/${ids[0]}`, { method: 'DELETE' }), {
      allowed: [204, 404],
      rounds: 1,
      isChained: false,
    });
    assert.equal(count(204), 1);
  });

  /** Fails for a team that is above itself. */
  async function expectChainEnds(id: number): Promise<void> {
    const seen = new Set<number>();
    for (let next: number | undefined = id; next !== undefined;) {
      assert.ok(!seen.has(next), 'a circle of teams');
      seen.add(next);
      const { json }: { json: Json } = await expectStatus(server(), 200, 'GET', `/teams/${next}`);
      next = json['parent']?.id as number | undefined;
    }
  }

  test('a custom role is changed and deleted, and others of its name are created', async () => {
    const path = '/orgs/together/custom-repository-roles';
    const role = { name: 'Same', base_role: 'read', permissions: [] };
    await expectStatus(server(), 201, 'POST', path, { body: role });
    await runClients(
      server(),
      async (client, round) => {
        if (client < 3) return call(path, { method: 'POST', body: role });
        const { json } = await call(path);
        const id = json['custom_roles'][0]?.id ?? 1;
        return client < 6
          ? call(`${path}/${id}`, { method: 'PATCH', body: { description: `${client}-${round}` } })
          : call(`${path}/${id}`, { method: 'DELETE' });
      },
      { allowed: [200, 201, 204, 404, 422] },
    );
    const { json } = await expectStatus(server(), 200, 'GET', path);
    assert.ok(json['total_count'] <= 1);
  });
}
