// Concurrent changes of members, teams, roles, tokens, webhooks, audit-log subscriptions and Relay Proxy
// configurations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expect, SEMANTIC } from '../conformance/flags/control-calls.ts';
import { join } from '../people.ts';
import type { CallInit, TestServer } from '../server.ts';
import { CLIENTS, runClients, ROUNDS } from './concurrent-clients.ts';

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const policy = [{ effect: 'allow', actions: ['*'], resources: ['proj/*'] }];

export function declareAccount(server: () => TestServer): void {
  const call: TestServer['call'] = (path, init) => server().call(`/api/v2/${path}`, init);
  const instruct = (path: string, ...instructions: object[]) =>
    call(path, { method: 'PATCH', headers: SEMANTIC, body: { instructions } });
  const post = async (path: string, body: unknown, init: CallInit = {}) => {
    const answer = await call(path, { method: 'POST', body, ...init });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };

  test('a token is renamed and reset', async () => {
    const { _id } = await post('tokens', { name: 'ours', role: 'reader', serviceToken: true });
    const { entries, answers } = await runClients(server(), (client, round) =>
      client < 6
        ? call(`tokens/${_id}`, { method: 'PATCH', body: replace('/name', `${client}-${round}`) })
        : call(`tokens/${_id}/reset`, { method: 'POST' }),
    );
    assert.equal(entries.length, answers.length);
  });

  test('a token is deleted by one of many', async () => {
    const { _id } = await post('tokens', { name: 'ours', role: 'reader', serviceToken: true });
    const { entries, count } = await runClients(server(), () => call(`tokens/${_id}`, { method: 'DELETE' }), {
      allowed: [204, 404],
      rounds: 1,
    });
    assert.equal(count(204), 1);
    assert.equal(entries.length, 1);
  });

  test('a role is changed, and others of the same key are created and deleted', async () => {
    await post('roles', { key: 'kept', name: 'Kept', policy });
    const { entries, count } = await runClients(
      server(),
      (client, round) => {
        if (client < 4)
          return call('roles/kept', { method: 'PATCH', body: replace('/name', `${client}-${round}`) });
        return (client + round) % 2 === 0
          ? call('roles', { method: 'POST', body: { key: 'same', name: 'Same', policy } })
          : call('roles/same', { method: 'DELETE' });
      },
      { allowed: [200, 201, 204, 404, 409] },
    );
    assert.equal(entries.length, count(200, 201, 204));
    assert.equal(count(200), 4 * ROUNDS);
  });

  test('a member changes roles', async () => {
    const { id } = await join(server(), 'changes-roles');
    await runClients(server(), (client, round) => {
      const value = (client + round) % 2 === 0 ? 'writer' : 'reader';
      return client % 2 === 0
        ? call(`members/${id}`, { method: 'PATCH', body: replace('/role', value) })
        : instruct('members', { kind: 'replaceMembersRoles', value, memberIDs: [id] });
    });
  });

  test('many members change roles, named in different orders', async () => {
    const ids = [
      (await join(server(), 'one')).id,
      (await join(server(), 'two')).id,
      (await join(server(), 'three')).id,
    ];
    await runClients(server(), (client, round) => {
      const value = (client + round) % 3 === 0 ? 'writer' : 'reader';
      const named = client % 2 === 0 ? ids : ids.toReversed();
      return instruct(
        'members',
        ...named.map((id) => ({ kind: 'replaceMembersRoles', value, memberIDs: [id] })),
      );
    });
  });

  test('a team is renamed, and members come and go', async () => {
    await post('teams', { key: 'team', name: 'Team' });
    const members = await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => join(server(), `in-team-${client}`)),
    );
    const { entries, answers } = await runClients(server(), (client, round) => {
      if (client < 2) return instruct('teams/team', { kind: 'updateName', value: `${client}-${round}` });
      const kind = round % 2 === 0 ? 'addMembers' : 'removeMembers';
      return instruct('teams/team', { kind, values: [members[client]!.id] });
    });
    assert.equal(entries.length, answers.length);
  });

  test('members join teams, named in different orders, while teams of the same keys come and go', async () => {
    for (const key of ['first', 'second']) await post('teams', { key, name: key });
    const { id } = await join(server(), 'joins-teams');
    await runClients(
      server(),
      (client, round) => {
        const keys = client % 2 === 0 ? ['first', 'second'] : ['second', 'first'];
        if (client < 4)
          return instruct(
            'teams',
            ...keys.map((key) => ({ kind: 'addMembersToTeams', memberIDs: [id], teamKeys: [key] })),
          );
        if (client === 4) return call(`members/${id}/teams`, { method: 'POST', body: { teamKeys: keys } });
        if (client === 5)
          return instruct(`teams/${keys[round % 2]}`, { kind: 'removeMembers', values: [id] });
        return round % 2 === 0
          ? call('teams/first', { method: 'DELETE' })
          : call('teams', { method: 'POST', body: { key: 'first', name: 'First', memberIDs: [id] } });
      },
      { allowed: [200, 201, 204, 400, 404, 409] },
    );
  });

  test('roles are given to members, teams and tokens while they are deleted and made', async () => {
    await post('teams', { key: 'gets-roles', name: 'Team' });
    await post('roles', { key: 'passing', name: 'Passing', policy });
    const { id } = await join(server(), 'gets-roles');
    const { _id } = await post('tokens', { name: 'gets-roles', role: 'reader', serviceToken: true });
    await runClients(
      server(),
      (client, round) => {
        const isOn = round % 2 === 0;
        if (client < 2)
          return call(`members/${id}`, {
            method: 'PATCH',
            body: replace('/customRoles', isOn ? ['passing'] : []),
          });
        if (client < 4) {
          const kind = isOn ? 'addCustomRoles' : 'removeCustomRoles';
          return instruct('teams/gets-roles', { kind, values: ['passing'] });
        }
        if (client === 4)
          return call(`tokens/${_id}`, {
            method: 'PATCH',
            body: isOn
              ? [
                  { op: 'add', path: '/customRoleIds', value: ['passing'] },
                  { op: 'remove', path: '/role' },
                ]
              : [
                  { op: 'add', path: '/role', value: 'reader' },
                  { op: 'remove', path: '/customRoleIds' },
                ],
          });
        if (client === 5)
          return call('roles/passing', { method: 'PATCH', body: replace('/description', `${round}`) });
        return isOn
          ? call('roles/passing', { method: 'DELETE' })
          : call('roles', { method: 'POST', body: { key: 'passing', name: 'Passing', policy } });
      },
      { allowed: [200, 201, 204, 400, 404, 409], isChained: false },
    );
  });

  test('a member is invited, changed and removed', async () => {
    const { entries, count } = await runClients(
      server(),
      async (client, round) => {
        if (client % 2 === 0)
          return call('members', {
            method: 'POST',
            body: [{ email: `same-${round}@example.com`, role: 'reader' }],
          });
        const { json } = await call(`members?filter=query:same-${round}@example.com`);
        const id = json['items'][0]?._id ?? '0'.repeat(24);
        return client === 1
          ? call(`members/${id}`, { method: 'PATCH', body: replace('/role', 'writer') })
          : call(`members/${id}`, { method: 'DELETE' });
      },
      { allowed: [200, 201, 204, 400, 404, 409] },
    );
    assert.ok(entries.length >= count(201));
  });

  test('a webhook is renamed and deleted', async () => {
    const { _id } = await post('webhooks', { url: 'https://example.com/hook', sign: false, on: false });
    const { entries, answers } = await runClients(server(), (client, round) =>
      call(`webhooks/${_id}`, { method: 'PATCH', body: replace('/name', `${client}-${round}`) }),
    );
    assert.equal(entries.length, answers.length);
    const { count } = await runClients(server(), () => call(`webhooks/${_id}`, { method: 'DELETE' }), {
      allowed: [204, 404],
      rounds: 1,
    });
    assert.equal(count(204), 1);
  });

  test('an audit-log subscription is renamed and tagged, and deleted', async () => {
    const config = { url: 'http://127.0.0.1:9/hook' };
    const { _id } = await post('integrations/slack', { name: 'ours', on: true, config });
    const path = `integrations/slack/${_id}`;
    const { entries, answers } = await runClients(server(), (client, round) =>
      call(path, {
        method: 'PATCH',
        body: client < 6 ? replace('/name', `${client}-${round}`) : replace('/tags', [`t${client}-${round}`]),
      }),
    );
    assert.equal(entries.length, answers.length);
    const { count } = await runClients(server(), () => call(path, { method: 'DELETE' }), {
      allowed: [204, 404],
      rounds: 1,
    });
    assert.equal(count(204), 1);
  });

  test('a Relay Proxy configuration is changed, reset and deleted', async () => {
    const { _id } = await post('account/relay-auto-configs', { name: 'ours', policy });
    const path = `account/relay-auto-configs/${_id}`;
    const { entries, answers } = await runClients(server(), (client, round) =>
      client < 6
        ? call(path, { method: 'PATCH', body: replace('/name', `${client}-${round}`) })
        : call(`${path}/reset`, { method: 'POST' }),
    );
    assert.equal(entries.length, answers.length);
    const { count } = await runClients(server(), () => call(path, { method: 'DELETE' }), {
      allowed: [204, 404],
      rounds: 1,
    });
    assert.equal(count(204), 1);
  });

  test('webhooks come and go while things change that they hear of', async () => {
    const hooks: string[] = [];
    await expect(201, call('projects', { method: 'POST', body: { key: 'heard', name: 'Heard' } }));
    await runClients(
      server(),
      async (client, round) => {
        if (client < 5)
          return call('projects/heard', { method: 'PATCH', body: replace('/name', `${client}-${round}`) });
        const body = { url: 'http://127.0.0.1:9/hook', sign: false, on: true };
        const { json } = await call('webhooks', { method: 'POST', body });
        hooks.push(json['_id']);
        return call(`webhooks/${hooks[hooks.length - 1 - (client % 2)] ?? hooks[0]}`, { method: 'DELETE' });
      },
      { allowed: [200, 204, 404] },
    );
    for (const id of hooks) await call(`webhooks/${id}`, { method: 'DELETE' });
  });
}
