// The policies of roles: what base roles may do, and placeholders in policies, with and without values.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  compileBaseRoles,
  customPolicy,
  fillPlaceholders,
  hasPlaceholders,
  joinAttributes,
} from './role-policies.ts';
import { parseStatements, type BaseRole, type PolicyStatement, compilePolicy } from './policy.ts';

const allow = (resources: string[]): PolicyStatement => ({ effect: 'allow', actions: ['*'], resources });
const PROJECT = 'proj/${roleAttribute/projects}';

function may(statements: PolicyStatement[], attributes: Record<string, string[]>, resource: string): boolean {
  return compilePolicy(fillPlaceholders(statements, attributes)).allows('updateOn', resource);
}

test('a placeholder becomes each of its values, and two become all pairs', () => {
  const [filled] = fillPlaceholders([allow([`${PROJECT}:env/\${roleAttribute/envs}`, 'acct'])], {
    projects: ['web', 'app'],
    envs: ['test', 'stage-*'],
  });
  assert.deepEqual(filled?.resources, [
    'proj/web:env/test',
    'proj/web:env/stage-*',
    'proj/app:env/test',
    'proj/app:env/stage-*',
    'acct',
  ]);
});

test('a placeholder without a value allows nothing', () => {
  for (const attributes of [{}, { projects: [] }, { other: ['web'] }]) {
    assert.equal(may([allow([PROJECT])], attributes, 'proj/web'), false);
    const butThese: PolicyStatement = { effect: 'allow', actions: ['*'], notResources: [PROJECT] };
    assert.equal(may([butThese], attributes, 'proj/web'), false);
  }
  assert.equal(may([allow([PROJECT])], { projects: ['web'] }, 'proj/web'), true);
  assert.equal(may([allow([PROJECT])], { projects: ['web'] }, 'proj/app'), false);
});

test('a placeholder without a value denies all that it could name', () => {
  const all = allow(['*']);
  const these: PolicyStatement = { effect: 'deny', actions: ['*'], resources: [PROJECT] };
  const butThese: PolicyStatement = { effect: 'deny', actions: ['*'], notResources: [PROJECT] };
  assert.equal(may([all, these], {}, 'proj/web'), false);
  assert.equal(may([all, butThese], {}, 'proj/web'), false);
  assert.equal(may([all, these], { projects: ['app'] }, 'proj/web'), true);
  assert.equal(may([all, butThese], { projects: ['web'] }, 'proj/web'), true);
});

test('names of the language are only names', () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    assert.equal(may([allow([`proj/\${roleAttribute/${key}}`])], {}, 'proj/web'), false, key);
  }
  const joined = joinAttributes([
    JSON.parse('{"__proto__":["a"]}') as Record<string, string[]>,
    { b: ['c'] },
  ]);
  assert.deepEqual(Object.entries(joined), [
    ['__proto__', ['a']],
    ['b', ['c']],
  ]);
});

test('placeholders in a policy are detected', () => {
  assert.equal(hasPlaceholders([allow([PROJECT])]), true);
  assert.equal(hasPlaceholders([allow(['proj/web'])]), false);
});

test('values from two sources are merged without duplicates', () => {
  assert.deepEqual(joinAttributes([{ a: ['1', '2'] }, { a: ['2', '3'], b: [] }]), {
    a: ['1', '2', '3'],
    b: [],
  });
});

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
    const rolesFor = (action: string, resource: string) =>
      all.filter((role) => contributed[role].allows(action, resource));
    assert.deepEqual(rolesFor('lock', 'door/back'), ['admin', 'owner']);
    assert.deepEqual(rolesFor('open', 'door/front'), ['admin', 'owner']);
    assert.deepEqual(rolesFor('open', 'door/back'), ['writer', 'admin', 'owner']);
    assert.deepEqual(rolesFor('view', 'door/back'), all);
    for (const role of all) assert.equal(contributed[role].baseRole, role);
  });

  test('are the base of custom roles, which are not known as base roles', () => {
    const base = compileBaseRoles([
      { writer: [{ effect: 'deny', actions: ['lock'], resources: ['door/*'] }] },
    ]);
    const lockOne: PolicyStatement[] = [
      { effect: 'allow', actions: ['lock'], resources: ['door/${roleAttribute/d}'] },
    ];
    const mayLock = (baseRole: BaseRole) => {
      const policy = customPolicy(base, { policy: lockOne, baseRole }, { d: ['back'] });
      assert.equal(policy.baseRole, undefined);
      return policy.allows('lock', 'door/back');
    };
    assert.deepEqual(all.filter(mayLock), ['no_access', 'reader', 'admin', 'owner']);
  });
});
