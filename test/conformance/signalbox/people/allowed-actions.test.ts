// What a caller may do with flags and segments over the Signalbox API: the answers are those of the flags API.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { flagCalls } from '../../flags/feature-flags/feature-flag-calls.ts';

const PATH = '/signalbox/v1/projects/shop/permissions';

onEachEngine((engine) => {
  let server: TestServer;
  let flags: ReturnType<typeof flagCalls>;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    const made = await server.call('/api/v2/projects', {
      method: 'POST',
      body: { key: 'shop', name: 'Shop', tags: ['web'] },
    });
    assert.equal(made.status, 201, made.text);
    flags = flagCalls(server, 'shop');
  });
  after(() => server?.stop());

  /** Who has these statements, and may see everything. */
  const personWith = async (name: string, ...statements: PolicyStatement[]): Promise<string> => {
    const member = await join(server, name, { role: 'admin' });
    const seeing: PolicyStatement = { effect: 'allow', actions: ['view*'], resources: ['*', 'proj/*'] };
    const { value } = await giveToken(server, member, { inlinePolicy: [seeing, ...statements] });
    return value;
  };
  const ask = (token: string, body: Json, path = PATH) => server.call(path, { method: 'POST', token, body });
  const answersOf = async (token: string, body: Json): Promise<boolean[]> => {
    const { status, json, text } = await ask(token, body);
    assert.equal(status, 200, text);
    return (json['answers'] as Json[]).map(({ isAllowed }) => isAllowed as boolean);
  };
  const create = async (token: string, key: string, tags: string[] = []) =>
    (await server.call('/api/v2/flags/shop', { method: 'POST', token, body: { key, name: key, tags } }))
      .status;

  test('a flag may be created where one environment allows it, and the question says so', async () => {
    const token = await personWith('one-environment', {
      effect: 'allow',
      actions: ['createFlag'],
      resources: ['proj/shop;web:env/test:flag/*'],
    });
    assert.deepEqual(await answersOf(token, { kind: 'flag', actions: ['createFlag', 'updateTags'] }), [
      true,
      false,
    ]);
    assert.equal(await create(token, 'in-one'), 201);
    const where = { kind: 'flag', environmentKey: 'production', actions: ['createFlag'] };
    assert.deepEqual(await answersOf(token, where), [false]);
  });

  test('a role for some keys or tags may create a flag, and the key decides which', async () => {
    const byKey = await personWith('by-key', {
      effect: 'allow',
      actions: ['createFlag'],
      resources: ['proj/*:env/*:flag/mobile-*'],
    });
    const byTag = await personWith('by-tag', {
      effect: 'allow',
      actions: ['createFlag'],
      resources: ['proj/*:env/*:flag/*;ours'],
    });
    for (const token of [byKey, byTag])
      assert.deepEqual(await answersOf(token, { kind: 'flag', actions: ['createFlag'] }), [true]);
    const asked = async (token: string, key: string) =>
      (await answersOf(token, { kind: 'flag', key, actions: ['createFlag'] }))[0];
    assert.equal(await asked(byKey, 'mobile-menu'), true);
    assert.equal(await asked(byKey, 'desktop-menu'), false);
    assert.equal(await create(byKey, 'mobile-menu'), 201);
    assert.equal(await create(byKey, 'desktop-menu'), 401);
    assert.equal(await create(byTag, 'tagged', ['ours']), 201);
    assert.equal(await create(byTag, 'untagged'), 401);
    assert.deepEqual(
      await answersOf(byTag, { kind: 'flag', key: 'tagged', actions: ['createFlag'] }),
      [true],
      'it has the tag',
    );
  });

  test('who is denied in one environment may not archive the flag, and may rename it', async () => {
    await flags.make('everywhere', {});
    const token = await personWith(
      'not-production',
      { effect: 'allow', actions: ['*'], resources: ['proj/*:env/*:flag/*'] },
      { effect: 'deny', actions: ['*'], resources: ['proj/*:env/production:flag/*'] },
    );
    const actions = ['updateName', 'updateGlobalArchived', 'deleteFlag', 'updateOn'];
    assert.deepEqual(await answersOf(token, { kind: 'flag', key: 'everywhere', actions }), [
      true,
      false,
      false,
      true,
    ]);
    const change = (kind: string, more: Json = {}) =>
      server.call('/api/v2/flags/shop/everywhere', {
        method: 'PATCH',
        token,
        headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
        body: { instructions: [{ kind, ...more }] },
      });
    assert.equal((await change('archiveFlag')).status, 401);
    assert.equal((await change('updateName', { value: 'Renamed' })).status, 200);
    const remove = await server.call('/api/v2/flags/shop/everywhere', { method: 'DELETE', token });
    assert.equal(remove.status, 401);
  });

  test('a reader may change nothing', async () => {
    const reader = await giveToken(server, await join(server, 'reading'), { role: 'reader' });
    const actions = ['createFlag', 'updateOn', 'updateTags', 'createApprovalRequest'];
    assert.deepEqual(await answersOf(reader.value, { kind: 'flag', actions }), [false, false, false, false]);
    const segment = { kind: 'segment', environmentKey: 'test', actions: ['createSegment', 'updateRules'] };
    assert.deepEqual(await answersOf(reader.value, segment), [false, false]);
  });

  test('a segment is asked about in its environment', async () => {
    const token = await personWith('segments', {
      effect: 'allow',
      actions: ['*'],
      resources: ['proj/*:env/test:segment/beta-*'],
    });
    const actions = ['createSegment'];
    assert.deepEqual(await answersOf(token, { kind: 'segment', environmentKey: 'test', actions }), [true]);
    const elsewhere = { kind: 'segment', environmentKey: 'production', actions };
    assert.deepEqual(await answersOf(token, elsewhere), [false]);
    const named = { kind: 'segment', key: 'alpha', environmentKey: 'test', actions };
    assert.deepEqual(await answersOf(token, named), [false]);
    assert.equal((await ask(token, { kind: 'segment', actions })).status, 422);
  });

  test('questions about what is not there, or that are none, are refused', async () => {
    const token = ADMIN_TOKEN;
    const unknown = await ask(token, { kind: 'flag', environmentKey: 'nowhere', actions: ['updateOn'] });
    assert.equal(unknown.status, 404);
    const path = '/signalbox/v1/projects/nothing/permissions';
    assert.equal((await ask(token, { kind: 'flag', actions: ['updateOn'] }, path)).status, 404);
    for (const body of [
      {},
      { kind: 'project', actions: ['updateOn'] },
      { kind: 'flag', actions: [] },
      { kind: 'flag', actions: Array.from({ length: 51 }, () => 'updateOn') },
      { kind: 'flag', actions: ['updateOn'], key: 'x'.repeat(257) },
      { kind: 'flag', actions: ['updateOn'], more: 1 },
    ])
      assert.equal((await ask(token, body)).status, 422, JSON.stringify(body));
    // A key that no flag can have is that of a flag which is not there.
    const odd = await ask(token, { kind: 'flag', key: '../x y', actions: ['updateOn'] });
    assert.equal(odd.status, 200, odd.text);
  });

  test('who may not see the project is not answered', async () => {
    const member = await join(server, 'blind', { role: 'admin' });
    const statement: PolicyStatement = { effect: 'allow', actions: ['updateOn'], resources: ['*'] };
    const { value } = await giveToken(server, member, { inlinePolicy: [statement] });
    assert.equal((await ask(value, { kind: 'flag', actions: ['updateOn'] })).status, 403);
  });
});
