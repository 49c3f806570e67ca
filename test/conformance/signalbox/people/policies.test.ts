// The policy tester over HTTP: about oneself, members, tokens, roles and statements that are not saved.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BaseRole } from '../../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const EXPLAIN = '/signalbox/v1/policies/explain';
const FLAG = 'proj/default:env/production:flag/dark-mode';
const BASE_ROLES: readonly BaseRole[] = ['reader', 'writer', 'admin', 'owner', 'no_access'];
const POLICY = [
  { effect: 'allow', actions: ['update*'], resources: ['proj/*:env/*:flag/*'] },
  { effect: 'deny', actions: ['updateOn'], resources: ['proj/*:env/production:flag/*'] },
];

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await make('/api/v2/roles', {
      key: 'careful',
      name: 'Careful',
      policy: POLICY,
      basePermissions: 'reader',
    });
  });
  after(() => server.stop());

  const make = async (path: string, body: unknown): Promise<Json> => {
    const { status, json, text } = await server.call(path, { method: 'POST', body });
    assert.equal(status, 201, text);
    return json;
  };
  const ask = (body: Json, token?: string) =>
    server.call(EXPLAIN, { method: 'POST', body, ...(token !== undefined && { token }) });
  const answersOf = async (body: Json, token?: string): Promise<Json[]> => {
    const { status, json, text } = await ask(body, token);
    assert.equal(status, 200, text);
    return json['answers'] as Json[];
  };
  const one = (action: string, resource: string) => [{ action, resource }];

  test('statements that are not saved are explained, with the names that decide', async () => {
    const questions = [...one('updateOn', FLAG), ...one('updateName', FLAG), ...one('deleteFlag', FLAG)];
    const answers = await answersOf({ policy: POLICY, questions });
    assert.deepEqual(
      answers.map(({ isAllowed, reason }) => [isAllowed, reason]),
      [
        [false, 'denied'],
        [true, 'allowed'],
        [false, 'silent'],
      ],
    );
    assert.deepEqual(answers[0]!['decidedBy'], [
      {
        layer: 'policy',
        index: 1,
        isInherited: false,
        effect: 'deny',
        action: { isMatch: true, by: 'updateOn' },
        resource: { isMatch: true, by: 'proj/*:env/production:flag/*' },
      },
    ]);
    assert.deepEqual(
      answers[2]!['near'].map(({ index, action }: Json) => [index, action.isMatch]),
      [
        [0, false],
        [1, false],
      ],
    );
  });

  test('base permissions come before the statements of a role, and are named as such', async () => {
    const questions = one('viewProject', FLAG);
    const [answer] = await answersOf({ role: 'careful', questions });
    assert.equal(answer!['isAllowed'], true);
    assert.deepEqual(
      answer!['decidedBy'].map(({ role, isInherited }: Json) => [role, isInherited]),
      [['careful', true]],
    );
    const [bare] = await answersOf({ policy: POLICY, questions });
    assert.equal(bare!['isAllowed'], false);
  });

  test('attributes fill the placeholders of statements', async () => {
    const resources = ['proj/${roleAttribute/mine}'];
    const policy = [{ effect: 'allow', actions: ['*'], resources }];
    const questions = one('viewProject', 'proj/shop');
    const [unset] = await answersOf({ policy, questions });
    const [filled] = await answersOf({ policy, roleAttributes: { mine: ['shop'] }, questions });
    assert.deepEqual([unset!['isAllowed'], filled!['isAllowed']], [false, true]);
  });

  test('of a member and their token every layer is explained', async () => {
    const member = await join(server, 'layers', { role: 'reader', customRoles: ['careful'] });
    const token = await giveToken(server, member, {
      inlinePolicy: [{ effect: 'allow', actions: ['view*'], resources: ['*'] }],
    });
    const questions = one('updateName', FLAG);
    const [person] = await answersOf({ member: member.id, questions });
    assert.equal(person!['isAllowed'], true);
    const [narrow] = await answersOf({ token: token.id, questions });
    assert.deepEqual([narrow!['isAllowed'], narrow!['reason']], [false, 'silent']);
    assert.ok(narrow!['near'].some(({ layer }: Json) => layer === 'token'));
    const [own] = await answersOf({ member: 'me', questions }, token.value);
    assert.equal(own!['isAllowed'], true);
  });

  test('a role that the caller may not see is only named', async () => {
    const member = await join(server, 'blind', { role: 'no_access', customRoles: ['careful'] });
    const token = await giveToken(server, member, {
      inlinePolicy: [{ effect: 'allow', actions: ['updateName'], resources: ['*'] }],
    });
    const questions = one('updateOn', FLAG);
    const [answer] = await answersOf({ member: 'me', questions }, token.value);
    const [shown] = answer!['decidedBy'] as Json[];
    assert.deepEqual(
      [answer!['reason'], shown!['role'], shown!['index'], shown!['action']],
      ['denied', 'careful', undefined, { isMatch: true }],
    );
  });

  test('others are explained to those who may see them', async () => {
    const member = await join(server, 'narrow', { role: 'reader' });
    const policy = [{ effect: 'allow' as const, actions: ['viewProject'], resources: ['*'] }];
    const { value } = await giveToken(server, member, { inlinePolicy: policy });
    const admin = await join(server, 'other-admin', { role: 'admin' });
    const own = await giveToken(server, admin, {});
    const questions = one('viewProject', 'proj/default');
    const refused: Json[] = [{ member: admin.id }, { role: 'careful' }, { token: own.id }];
    for (const subject of refused) {
      const { status } = await ask({ ...subject, questions }, value);
      assert.equal(status, 403, JSON.stringify(subject));
    }
  });

  test('what cannot be asked is refused, and says why', async () => {
    const questions = one('viewProject', 'proj/default');
    const wrong: [Json, number, RegExp][] = [
      [{ questions }, 422, /one of member, token, role, policy and baseRole/],
      [{ member: 'me', role: 'careful', questions }, 422, /one of member/],
      [{ member: 'me', baseRole: 'reader', questions }, 422, /only for a policy/],
      [{ role: 'none', questions }, 404, /none/],
      [{ member: 'aaaaaaaaaaaaaaaaaaaaaaaa', questions }, 404, /aaaa/],
      [{ token: 'aaaaaaaaaaaaaaaaaaaaaaaa', questions }, 404, /aaaa/],
      [{ baseRole: 'king', questions }, 422, /baseRole/],
      [{ baseRole: 'reader', questions: [] }, 422, /questions/],
      [{ policy: [{ effect: 'allow', actions: ['*'] }], questions }, 422, /resources/],
      [{ baseRole: 'reader', questions: Array.from({ length: 51 }, () => questions[0]!) }, 422, /questions/],
    ];
    for (const [body, expected, message] of wrong) {
      const { status, text } = await ask(body);
      assert.equal(status, expected, `${JSON.stringify(body)}: ${text}`);
      assert.match(text, message);
    }
    assert.equal((await server.call(EXPLAIN, { method: 'POST', body: {}, token: null })).status, 401);
  });

  test('for every action of every base role the tester agrees with what a member with it may do', async () => {
    const listed = await server.call('/signalbox/v1/policy-actions');
    const actions = (listed.json['items'] as Json[]).map(({ action }) => action as string);
    assert.ok(actions.includes('updateOn') && actions.includes('createAccessToken') && actions.length > 80);
    const resources = ['acct', FLAG, 'member/me:token/x'];
    for (const baseRole of BASE_ROLES) {
      const member = await join(server, `every-${baseRole.replace('_', '-')}`, { role: baseRole });
      const { value } = await giveToken(server, member, { role: baseRole });
      for (const resource of resources)
        for (let from = 0; from < actions.length; from += 50) {
          const questions = actions.slice(from, from + 50).map((action) => ({ action, resource }));
          const answers = await answersOf({ baseRole, questions });
          const { json } = await server.call('/signalbox/v1/me/permissions', {
            method: 'POST',
            body: { questions },
            token: value,
          });
          assert.deepEqual(
            answers.map(({ action, isAllowed }) => [action, isAllowed]),
            (json['answers'] as Json[]).map(({ action, isAllowed }) => [action, isAllowed]),
            `${baseRole} on ${resource}`,
          );
        }
    }
  });
});
