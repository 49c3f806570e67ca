import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileBaseRoles, customPolicy } from './base-roles.ts';
import { parseStatements, type BaseRole, type PolicyStatement } from './policy.ts';

describe('base roles', () => {
  type Row = [action: string, resource: string, roles: BaseRole[]];
  const rows: Row[] = [
    ['viewProject', 'proj/p', ['reader', 'writer', 'admin', 'owner']],
    ['viewTeam', 'team/t', ['reader', 'writer', 'admin', 'owner']],
    ['viewMember', 'member/m', ['reader', 'writer', 'admin', 'owner']],
    ['viewAccount', 'acct', ['reader', 'writer', 'admin', 'owner']],
    ['createAccessToken', 'member/me:token/*', ['reader', 'writer', 'admin', 'owner']],
    ['resetAccessToken', 'member/me:token/t', ['reader', 'writer', 'admin', 'owner']],
    ['createAccessToken', 'service-token/*', ['writer', 'admin', 'owner']],
    ['viewAccessToken', 'service-token/t', ['reader', 'writer', 'admin', 'owner']],
    ['viewAccessToken', 'member/m:token/t', ['admin', 'owner']],
    ['viewAccessToken', 'member/*:token/*', ['admin', 'owner']],
    ['resetAccessToken', 'member/m:token/t', ['admin', 'owner']],
    ['deleteAccessToken', 'service-token/t', ['admin', 'owner']],
    ['updateOn', 'proj/p:env/e:flag/f;a', ['writer', 'admin', 'owner']],
    ['deleteProject', 'proj/p', ['writer', 'admin', 'owner']],
    ['updateName', 'proj/p:env/e;a', ['writer', 'admin', 'owner']],
    ['createWebhook', 'webhook/w', ['writer', 'admin', 'owner']],
    ['createMember', 'member/m', ['admin', 'owner']],
    ['updateRole', 'member/m', ['admin', 'owner']],
    ['updatePolicy', 'role/r', ['admin', 'owner']],
    ['createTeam', 'team/t', ['admin', 'owner']],
    ['updateAccount', 'acct', ['admin', 'owner']],
    ['updateAccountOwner', 'acct', ['owner']],
    ['deleteAccount', 'acct', ['owner']],
  ];
  const all: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];
  const policies = compileBaseRoles([]);
  for (const [action, resource, roles] of rows) {
    test(`${action} on ${resource} is for ${roles.join(', ')}`, () => {
      assert.deepEqual(
        all.filter((role) => policies[role].allows(action, resource)),
        roles,
      );
    });
  }
  test('are themselves valid statements', () => {
    for (const role of all) {
      const { statements } = policies[role];
      assert.deepEqual(parseStatements(statements), statements);
    }
  });
  test('allow and deny besides what APIs say of their resources, and each is known as one', () => {
    const contributed = compileBaseRoles([
      { writer: [{ effect: 'deny', actions: ['lock'], resources: ['door/*'] }] },
      { writer: [{ effect: 'deny', actions: ['open'], resources: ['door/front'] }] },
      { no_access: [{ effect: 'allow', actions: ['view'], resources: ['door/*'] }] },
    ]);
    const may = (action: string, resource: string) =>
      all.filter((role) => contributed[role].allows(action, resource));
    assert.deepEqual(may('lock', 'door/back'), ['admin', 'owner']);
    assert.deepEqual(may('open', 'door/front'), ['admin', 'owner']);
    assert.deepEqual(may('open', 'door/back'), ['writer', 'admin', 'owner']);
    assert.deepEqual(may('view', 'door/back'), all);
    for (const role of all) assert.equal(contributed[role].baseRole, role);
  });

  test('are the base of custom roles, which are not known as base roles', () => {
    const base = compileBaseRoles([
      { writer: [{ effect: 'deny', actions: ['lock'], resources: ['door/*'] }] },
    ]);
    const allow: PolicyStatement[] = [
      { effect: 'allow', actions: ['lock'], resources: ['door/${roleAttribute/d}'] },
    ];
    const mayLock = (baseRole: BaseRole) => {
      const policy = customPolicy(base, { policy: allow, baseRole }, { d: ['back'] });
      assert.equal(policy.baseRole, undefined);
      return policy.allows('lock', 'door/back');
    };
    assert.deepEqual(all.filter(mayLock), ['no_access', 'reader', 'admin', 'owner']);
  });
});
