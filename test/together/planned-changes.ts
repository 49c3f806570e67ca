// Concurrent changes of approval requests, scheduled changes, triggers and other resources of a flag.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expect, giveMember, MINUTE, OFF, ON, openFlagProject } from '../conformance/flags/control-calls.ts';
import type { TestServer } from '../server.ts';
import { CLIENTS, runClients, ROUNDS } from './concurrent-clients.ts';

const BETA = { 'ld-api-version': 'beta' };

export function declarePlannedChanges(server: () => TestServer): void {
  test('a scheduled change is changed, and others are made and given up', async () => {
    const { place, call, instruct } = await openFlagProject(server());
    const soon = server().clock.now() + 60 * MINUTE;
    const make = () =>
      call(`${place}/scheduled-changes`, {
        method: 'POST',
        body: { executionDate: soon, instructions: [ON] },
      });
    const { json } = await expect(201, make());
    const at = `${place}/scheduled-changes/${json['_id']}`;
    const { entries, count } = await runClients(
      server(),
      async (client, round) => {
        if (client < 5)
          return instruct(at, [
            { kind: 'updateScheduledChangesExecutionDate', value: soon + 1 + client * 1000 + round },
          ]);
        if (client < 7)
          return instruct(at, [
            { kind: 'replaceScheduledChangesInstructions', value: [round % 2 === 0 ? OFF : ON] },
          ]);
        const made = await make();
        return call(`${place}/scheduled-changes/${made.json['_id']}`, { method: 'DELETE' });
      },
      { allowed: [200, 204] },
    );
    assert.ok(entries.length >= 5 * ROUNDS + 2 * count(204));
    assert.equal((await call(at)).json['_version'], 1 + entries.length - 2 * count(204));
  });

  test('an approval request is commented on, changed and approved', async () => {
    const { place, call, instruct } = await openFlagProject(server());
    const { json } = await expect(
      201,
      call(`${place}/approval-requests`, {
        method: 'POST',
        body: { description: 'please', instructions: [ON] },
      }),
    );
    const at = `${place}/approval-requests/${json['_id']}`;
    const reviewers = await Promise.all(Array.from({ length: 4 }, () => giveMember(server())));
    const rounds = Math.min(ROUNDS, 16); // there can be 100 reviews
    const { entries, answers } = await runClients(
      server(),
      (client, round) => {
        const text = `${client}-${round}`;
        if (client >= 6) return instruct(at, [{ kind: 'updateDescription', value: text }]);
        const body = client < 4 ? { kind: 'comment', comment: text } : { kind: 'approve' };
        return call(`${at}/reviews`, { method: 'POST', token: reviewers[client % 4]!.token, body });
      },
      { rounds },
    );
    const { allReviews } = (await call(at)).json;
    assert.equal(entries.length, answers.length);
    assert.ok(allReviews.length >= 4 * rounds + 2, `${allReviews.length} reviews`);
  });

  test('of many who apply an approval request one does', async () => {
    const { place, call, isOn } = await openFlagProject(server());
    const { token } = await giveMember(server());
    const make = async () => {
      const { json } = await expect(
        201,
        call(`${place}/approval-requests`, {
          method: 'POST',
          body: { description: 'please', instructions: [(await isOn()) ? OFF : ON] },
        }),
      );
      const at = `${place}/approval-requests/${json['_id']}`;
      await expect(200, call(`${at}/reviews`, { method: 'POST', token, body: { kind: 'approve' } }));
      return at;
    };
    for (let round = 0; round < 4; round += 1) {
      const at = await make();
      const { count } = await runClients(server(), () => call(`${at}/apply`, { method: 'POST', body: {} }), {
        allowed: [200, 400],
        rounds: 1,
      });
      assert.equal(count(200), 1);
    }
  });

  test('a trigger is changed and fired', async () => {
    const { project, call, instruct } = await openFlagProject(server());
    const path = `flags/${project}/banner/triggers/test`;
    const made = await expect(
      201,
      call(path, { method: 'POST', body: { integrationKey: 'generic-trigger', instructions: [ON] } }),
    );
    const at = `${path}/${made.json['_id']}`;
    const url = new URL(made.json['triggerURL']).pathname;
    const { count } = await runClients(
      server(),
      (client, round) => {
        if (client < 4) return server().call(url, { method: 'POST', token: null });
        if (client < 6)
          return instruct(at, [
            { kind: 'replaceTriggerActionInstructions', value: [round % 2 === 0 ? OFF : ON] },
          ]);
        return instruct(at, [{ kind: 'enableTrigger' }]);
      },
      { allowed: [200, 204] },
    );
    assert.equal((await call(at)).json['_triggerCount'], count(204));
  });

  test('targets get dates on which they expire', async () => {
    const { project, call, instruct, patchFlag, readFlag } = await openFlagProject(server());
    const { variations } = await readFlag();
    const variationId = variations[0]._id;
    const values = ['both', ...Array.from({ length: CLIENTS }, (_, client) => `c${client}`)];
    await expect(200, patchFlag([{ kind: 'addTargets', contextKind: 'user', variationId, values }]));
    const at = `flags/${project}/banner/expiring-targets/test`;
    const soon = server().clock.now() + 60 * MINUTE;
    const { entries } = await runClients(server(), (client, round) => {
      const of = (contextKey: string) => ({ contextKind: 'user', contextKey, variationId });
      if (client === 7 && round % 2 === 1)
        return patchFlag([{ kind: 'removeTargets', contextKind: 'user', variationId, values: ['c7'] }]);
      if (client === 7)
        return patchFlag([{ kind: 'addTargets', contextKind: 'user', variationId, values: ['c7'] }]);
      const own = of(`c${client}`);
      const kind = round === 0 ? 'addExpiringTarget' : 'updateExpiringTarget';
      return instruct(at, [{ kind, ...own, value: soon + client * 1000 + round }]);
    });
    assert.ok(entries.length >= 7 * ROUNDS);
    const { json } = await call(at);
    assert.equal(json['items'].length, 7);
    assert.ok(
      json['items'].every(
        ({ expirationDate }: { expirationDate: number }) => (expirationDate - soon) % 1000 === ROUNDS - 1,
      ),
    );
  });

  test('links of a flag are changed, and some of the same key made and deleted', async () => {
    const { project, call } = await openFlagProject(server());
    const path = `flag-links/projects/${project}/flags/banner`;
    const post = (key: string) =>
      call(path, {
        method: 'POST',
        headers: BETA,
        body: { key, deepLink: 'https://example.com/1', title: key },
      });
    const { json } = await expect(201, post('first'));
    const { entries, count } = await runClients(
      server(),
      async (client, round) => {
        if (client < 4)
          return call(`${path}/${json['_id']}`, {
            method: 'PATCH',
            headers: BETA,
            body: [{ op: 'replace', path: '/title', value: `${client}-${round}` }],
          });
        const made = await post('same');
        if (made.status === 409) return made;
        return call(`${path}/${made.json['_id']}`, { method: 'DELETE', headers: BETA });
      },
      { allowed: [200, 204, 409] },
    );
    assert.equal(entries.length, count(200) + 2 * count(204));
  });

  test('a flag is followed and no longer followed', async () => {
    const { place, call } = await openFlagProject(server());
    const { member } = await giveMember(server());
    const { entries } = await runClients(
      server(),
      (client, round) =>
        call(`${place}/followers/${member.id}`, { method: (client + round) % 2 === 0 ? 'PUT' : 'DELETE' }),
      { allowed: [204] },
    );
    const { json } = await call(`${place}/followers`);
    assert.equal(json['totalCount'], entries.length % 2);
  });
}
