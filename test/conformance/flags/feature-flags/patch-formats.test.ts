// Partial updates in the flags API, on a running server with each engine: rules F7, F14, F20, F21 and F23.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };

onEachEngine((engine) => {
  let server: TestServer;
  let path: string;
  let original: Record<string, unknown>;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());
  beforeEach(async () => {
    const body = { name: 'before', description: 'as it was', role: 'writer' };
    const { json } = await server.call('/api/v2/tokens', { method: 'POST', body });
    path = `/api/v2/tokens/${json['_id'] as string}`;
    original = (await server.call(path)).json;
  });

  function patch(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return server.call(path, { method: 'PATCH', body, headers });
  }

  async function assertUnchanged(label?: string): Promise<void> {
    assert.deepEqual((await server.call(path)).json, original, label);
    assert.deepEqual((await events()).length, 1, 'only its making is recorded');
  }

  function events() {
    return server.app.kernel.db
      .selectFrom('events')
      .selectAll()
      .where('resource', 'like', `%token/${original['_id'] as string}`)
      .orderBy('seq')
      .execute();
  }

  test('F14 each of the six operations does its work', async () => {
    const rule = { effect: 'allow', actions: ['view*'], resources: ['proj/a'] };
    const other = { ...rule, resources: ['proj/b'] };
    const steps: [operations: object[], field: string, value: unknown][] = [
      [[{ op: 'replace', path: '/name', value: 'replaced' }], 'name', 'replaced'],
      [[{ op: 'test', path: '/name', value: 'replaced' }], 'name', 'replaced'],
      [[{ op: 'copy', from: '/name', path: '/description' }], 'description', 'replaced'],
      [[{ op: 'move', from: '/description', path: '/name' }], 'description', ''],
      [[{ op: 'remove', path: '/name' }], 'name', ''],
      [[{ op: 'add', path: '/name', value: 'added' }], 'name', 'added'],
      [[{ op: 'add', path: '/inlineRole', value: [rule] }], 'inlineRole', [rule]],
      [[{ op: 'add', path: '/inlineRole/-', value: other }], 'inlineRole', [rule, other]],
      [[{ op: 'add', path: '/inlineRole/0', value: other }], 'inlineRole', [other, rule, other]],
      [[{ op: 'remove', path: '/inlineRole/2' }], 'inlineRole', [other, rule]],
      [[{ op: 'move', from: '/inlineRole/1', path: '/inlineRole/0' }], 'inlineRole', [rule, other]],
      [
        [{ op: 'replace', path: '/inlineRole/1/effect', value: 'deny' }],
        'inlineRole',
        [rule, { ...other, effect: 'deny' }],
      ],
    ];
    for (const [operations, field, value] of steps) {
      const { status, json } = await patch(operations);
      assert.equal(status, 200, JSON.stringify(operations));
      assert.deepEqual(json[field], value, JSON.stringify(operations));
      assert.deepEqual((await server.call(path)).json, json, 'the reply is the detail that is kept');
    }
  });

  test('F14 several operations in one request are applied in order', async () => {
    const { json } = await patch([
      { op: 'copy', from: '/name', path: '/description' },
      { op: 'replace', path: '/name', value: 'first' },
      { op: 'test', path: '/name', value: 'first' },
      { op: 'replace', path: '/name', value: 'second' },
    ]);
    assert.deepEqual([json['name'], json['description']], ['second', 'before']);
    assert.deepEqual(
      (await events()).map(({ action }) => action),
      ['createAccessToken', 'updateAccessTokenName'],
    );
  });

  test('F14 when one operation fails, none is applied', async () => {
    const good = { op: 'replace', path: '/name', value: 'changed' };
    const bad: [status: number, operation: unknown][] = [
      [422, { op: 'remove', path: '/absent' }],
      [422, { op: 'replace', path: '/absent/deeper', value: 1 }],
      [422, { op: 'copy', from: '/absent', path: '/name' }],
      [422, { op: 'add', path: 'name', value: 'x' }],
      [422, { op: 'replace', path: '/name' }],
      [422, { path: '/name', value: 'x' }],
      [422, 'replace'],
      [409, { op: 'test', path: '/name', value: 'before' }],
      [400, { op: 'replace', path: '/role', value: 'king' }],
      [400, { op: 'replace', path: '/name', value: 5 }],
      [400, { op: 'add', path: '/inlineRole', value: [{ effect: 'allow' }] }],
      [400, { op: 'add', path: '/customRoleIds', value: ['no-such-role'] }],
    ];
    for (const [status, operation] of bad) {
      assert.equal((await patch([good, operation])).status, status, JSON.stringify(operation));
      await assertUnchanged(JSON.stringify(operation));
    }
  });

  test('F14 an unset member that is known can be replaced and removed', async () => {
    assert.equal((await patch([{ op: 'remove', path: '/inlineRole' }])).status, 200);
    const { status, json } = await patch([
      { op: 'remove', path: '/customRoleIds' },
      { op: 'replace', path: '/inlineRole', value: [{ effect: 'deny', actions: ['*'], resources: ['*'] }] },
    ]);
    assert.equal(status, 200);
    assert.equal(json['role'], undefined, 'another kind of power takes the place of the one before');
    assert.equal(
      (await patch([{ op: 'add', path: '/role', value: 'reader' }])).json['inlineRole'],
      undefined,
    );
  });

  test('F14 an empty list of custom roles takes nothing away', async () => {
    const { json } = await patch([{ op: 'add', path: '/customRoleIds', value: [] }]);
    assert.equal(json['role'], 'writer');
  });

  test('F7 attributes that begin with an underscore cannot be edited', async () => {
    const forbidden = [
      { op: 'replace', path: '/_id', value: 'ffffffffffffffffffffffff' },
      { op: 'add', path: '/_id', value: 'ffffffffffffffffffffffff' },
      { op: 'remove', path: '/_id' },
      { op: 'remove', path: '/_links' },
      { op: 'replace', path: '/_links/self/href', value: 'http://evil.example' },
      { op: 'add', path: '/_links/evil', value: { href: 'http://evil.example', type: 'text/html' } },
      { op: 'replace', path: '/_member/role', value: 'owner' },
      { op: 'add', path: '/_new', value: 1 },
      { op: 'move', from: '/_id', path: '/name' },
      { op: 'copy', from: '/name', path: '/_id' },
      { op: 'move', from: '/name', path: '/_id' },
      { op: 'replace', path: '', value: { ...original, _id: 'other' } },
      { op: 'replace', path: '', value: { name: 'bare' } },
      { op: 'replace', path: '/__proto__', value: { role: 'owner' } },
    ];
    for (const operation of forbidden) {
      const change = { op: 'replace', path: '/name', value: 'changed' };
      const { status, json } = await patch([change, operation]);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(operation));
      await assertUnchanged(JSON.stringify(operation));
    }
  });

  test('F7 what else is not for editing stays as it is, too', async () => {
    for (const name of [
      'token',
      'ownerId',
      'memberId',
      'creationDate',
      'lastModified',
      'serviceToken',
      'expiry',
      'own',
    ]) {
      const { status } = await patch([{ op: 'add', path: `/${name}`, value: 'x' }]);
      assert.equal(status, 400, name);
    }
    for (const value of [null, 'text', 5, []]) {
      assert.equal((await patch([{ op: 'replace', path: '', value }])).status, 422, JSON.stringify(value));
    }
    await assertUnchanged();
  });

  test('F7 sending the whole thing back with another name is a change of the name alone', async () => {
    const value = { ...Object.fromEntries(Object.entries(original).reverse()), name: 'sent back' };
    const { status, json } = await patch([{ op: 'replace', path: '', value }]);
    assert.deepEqual([status, json['name'], json['_id']], [200, 'sent back', original['_id']]);
  });

  test('F17 a body that suits no kind of patch is 422 and names the envelope', async () => {
    const operations = [{ op: 'replace', path: '/name', value: 'changed' }];
    const bodies: unknown[] = [
      { comment: 'alone' },
      { patch: { op: 'replace', path: '/name', value: 'changed' } },
      { patch: null },
      { comment: 'x', patch: 'replace' },
      { merge: [{ name: 'changed' }] },
      { comment: 'x', merge: 'changed' },
      { patch: operations, merge: { name: 'changed' } },
      { comment: 'x', patch: operations, merge: { name: 'changed' } },
      { merge: { name: 'changed' } },
      { name: 'changed' },
      {},
    ];
    for (const body of bodies) {
      const { status, json } = await patch(body);
      assert.deepEqual([status, json['code']], [422, 'patch_failed'], JSON.stringify(body));
      assert.match(json['message'] as string, /\{"comment", "patch": \[\.\.\.\]\}/, JSON.stringify(body));
    }
    for (const body of ['"text"', '5', 'true', 'null']) assert.equal((await patch(body)).status, 422, body);
    for (const op of ['frobnicate', 'Replace', '', 5, null, undefined]) {
      const { status, json } = await patch([{ op, path: '/name', value: 'changed' }]);
      assert.deepEqual([status, json['code']], [422, 'patch_failed'], String(op));
    }
    for (const body of ['{', '[', '{"patch":[}', '[{"op":"replace"'])
      assert.equal((await patch(body)).status, 400, body);
    await assertUnchanged();
  });

  test('F17 an envelope is one on every resource, also on those that take merge patches', async () => {
    const role = {
      key: 'enveloped',
      name: 'Before',
      policy: [{ effect: 'allow', actions: ['*'], resources: ['*'] }],
    };
    await server.call('/api/v2/roles', { method: 'POST', body: role });
    await server.call('/api/v2/flags/default', {
      method: 'POST',
      body: { key: 'enveloped', name: 'Before' },
    });
    for (const target of ['roles/enveloped', 'flags/default/enveloped', 'projects/default/flag-defaults']) {
      const send = (body: unknown) => server.call(`/api/v2/${target}`, { method: 'PATCH', body });
      const shown = (await server.call(`/api/v2/${target}`)).text;
      for (const body of [
        { comment: 'alone' },
        { patch: {} },
        { merge: [] },
        { merge: null },
        { patch: [], merge: {} },
      ]) {
        const { status, json } = await send(body);
        assert.equal(status, 422, `${target} ${JSON.stringify(body)}`);
        assert.match(json['message'] as string, /\{"comment", "merge": \{\.\.\.\}\}/);
      }
      assert.equal((await server.call(`/api/v2/${target}`)).text, shown, target);
    }
  });

  test('F20 a semantic body without its domain model is answered 400', async () => {
    const body = { comment: 'please', instructions: [{ kind: 'turnOn' }] };
    for (const type of [
      'application/json',
      'application/json; domain-model=other',
      'application/json; charset=utf-8',
    ]) {
      const { status, json } = await patch(body, { 'content-type': type });
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], type);
      assert.match(json['message'], /"Content-Type: application\/json; domain-model=\w+\.semanticpatch"/);
    }
    await assertUnchanged();
  });

  test('F20 with it, a resource that takes none says so', async () => {
    const { status, json } = await patch({ instructions: [{ kind: 'turnOn' }] }, SEMANTIC);
    assert.deepEqual([status, json['code']], [422, 'patch_failed']);
    await assertUnchanged();
  });

  test('F21 a comment travels around the patch, and stands in the event', async () => {
    const change = [{ op: 'replace', path: '/name', value: 'commented' }];
    const { status, json } = await patch({ comment: 'because of the audit ✓', patch: change });
    assert.deepEqual([status, json['name']], [200, 'commented']);
    const [, event] = await events();
    assert.equal(event!.comment, 'because of the audit ✓');
    assert.equal(event!.action, 'updateAccessTokenName');
    const shown = (text: string | null) => (JSON.parse(text!) as { name: string }).name;
    assert.deepEqual([shown(event!.before), shown(event!.after)], ['before', 'commented']);
    assert.equal(event!.member_id, original['memberId']);
    assert.notEqual(event!.token_id, null);
  });

  test('F21 the envelope works without a comment, and the comment must be text', async () => {
    const change = [{ op: 'replace', path: '/name', value: 'wrapped' }];
    assert.equal((await patch({ patch: change })).json['name'], 'wrapped');
    const other = [{ op: 'replace', path: '/name', value: 'unwrapped' }];
    assert.equal((await patch({ comment: '', patch: other })).status, 200);
    for (const comment of [5, null, ['x'], { text: 'x' }]) {
      assert.equal((await patch({ comment, patch: change })).status, 422, JSON.stringify(comment));
    }
    assert.equal((await patch({ comment: 'a\0b', patch: change })).status, 400);
    const comments = (await events()).map(({ comment }) => comment);
    assert.deepEqual(comments, [null, null, '']);
  });

  test('F21 a merge patch in its envelope is known for what it is', async () => {
    const { status, json } = await patch({ comment: 'x', merge: { name: 'merged' } });
    assert.deepEqual([status, json['code']], [422, 'patch_failed']);
    assert.match(json['message'] as string, /merge patch/);
    await assertUnchanged();
  });

  test('F23 a test makes the update conditional', async () => {
    const change = { op: 'replace', path: '/name', value: 'after' };
    const stale = [{ op: 'test', path: '/lastModified', value: 1 }, change];
    const { status, json } = await patch(stale);
    assert.deepEqual([status, json['code']], [409, 'optimistic_locking_error']);
    await assertUnchanged();
    const fresh = [{ op: 'test', path: '/lastModified', value: original['lastModified'] }, change];
    assert.equal((await patch(fresh)).json['name'], 'after');
    // `test` compares the stored value, including lists and objects; an absent value differs.
    const deep = {
      op: 'test',
      path: '/_links/parent',
      value: { type: 'application/json', href: '/api/v2/tokens' },
    };
    assert.equal((await patch([deep])).status, 200);
    assert.equal((await patch([{ op: 'test', path: '/absent', value: null }])).status, 409);
  });

  test('F23 F33 of concurrent patches none is lost: each is applied whole or told to try again', async () => {
    const rule = (index: number) => ({ effect: 'allow', actions: [`act${index}`], resources: ['proj/*'] });
    await patch([{ op: 'add', path: '/inlineRole', value: [rule(0)] }]);
    const others = Array.from({ length: 12 }, (_, index) => index + 1);
    const answers = await Promise.all(
      others.map((index) => patch([{ op: 'add', path: '/inlineRole/-', value: rule(index) }])),
    );
    const applied = others.filter((_, index) => answers[index]!.status === 200);
    for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status));
    assert.notEqual(applied.length, 0);
    const { json } = await server.call(path);
    const kept = (json['inlineRole'] as { actions: string[] }[]).flatMap(({ actions }) => actions);
    assert.deepEqual(kept.toSorted(), ['act0', ...applied.map((index) => `act${index}`)].toSorted());
    assert.equal((await events()).length, 2 + applied.length, 'one event for each that was applied');
  });
});
