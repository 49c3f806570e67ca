// The rules for granting: no token can do more than its creator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { compileBaseRoles } from '../../kernel/identity/role-policies.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import {
  can,
  compilePolicy,
  type BaseRole,
  type Policy,
  type PolicyStatement,
} from '../../kernel/identity/policy.ts';
import {
  checkAttributeGrant,
  checkCustomGrant,
  checkGrant,
  checkOutlives,
  checkPolicyChange,
  checkTokenRank,
  checkRoleGrant,
  checkRank,
  checkTeamGrant,
  expiryOfNewToken,
} from './grant-rules.ts';
import type { Role } from '../../kernel/identity/store-roles.ts';
import type { TokenPermissions, Token } from '../../kernel/identity/store-tokens.ts';

const rolePolicies = compileBaseRoles([]);
const ROLES: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];

const CUSTOM: Record<string, PolicyStatement[]> = {
  everything: [{ effect: 'allow', actions: ['*'], resources: ['*'] }],
  members: [{ effect: 'allow', actions: ['*'], resources: ['member/*'] }],
  allButFlags: [
    { effect: 'allow', actions: ['*'], resources: ['*'] },
    { effect: 'deny', actions: ['*'], resources: ['proj/*:env/*:flag/*'] },
  ],
};

/** Actions and resources on which roles and policies differ. */
const QUESTIONS = [
  'viewProject',
  'updateOn',
  'deleteMember',
  'createRole',
  'deleteAccount',
  'createAccessToken',
].flatMap((action) =>
  ['acct', 'proj/a', 'proj/a:env/b:flag/c', 'member/x', 'role/r', 'service-token/s', 'member/me:token/t'].map(
    (resource) => [action, resource] as const,
  ),
);

const memberOf = (role: BaseRole, customRoles: string[] = []) =>
  ({ id: 'm', role, customRoles }) as unknown as Member;
const tokenOf = (power: TokenPermissions, isService: boolean) =>
  ({ id: 't', memberId: 'm', isService, ...power }) as Token;

function policiesOf({ role, customRoles, inlinePolicy }: TokenPermissions): Policy[] {
  return [
    ...(role === undefined ? [] : [rolePolicies[role]]),
    ...customRoles.map((name) => compilePolicy(CUSTOM[name]!)),
    ...(inlinePolicy === undefined ? [] : [compilePolicy(inlinePolicy)]),
  ];
}

/** A personal token has the permissions that both its owner and itself allow, a service token its own. */
function callerOf(member: Member, token?: Token): KnownCaller {
  const bounds = token?.isService ? [rolePolicies[token.role ?? 'admin']] : policiesOf(member);
  const grants = token === undefined ? [bounds] : [bounds, policiesOf(token)];
  return { kind: token === undefined ? 'session' : 'token', member, grants, ...(token && { token }) };
}

const anyRole = fc.constantFrom(...ROLES);
const anyCustom = fc.subarray(Object.keys(CUSTOM));
const anyPower: fc.Arbitrary<TokenPermissions> = fc.oneof(
  anyRole.map((role) => ({ role, customRoles: [] })),
  anyCustom.filter(({ length }) => length > 0).map((customRoles) => ({ customRoles })),
  fc.constantFrom(...Object.values(CUSTOM)).map((inlinePolicy) => ({ customRoles: [], inlinePolicy })),
);
const anyMember = fc
  .record({ role: anyRole, customRoles: anyCustom })
  .map((member) => memberOf(member.role, member.customRoles));
const anyToken = fc
  .record({ power: anyPower, isService: fc.boolean() })
  .map(({ power, isService }) => tokenOf(power, isService));

function isAllowed(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'denied' && error.details.access !== undefined);
    return false;
  }
}

test('with any grant, the new token can do nothing that its creator cannot', () => {
  let granted = 0;
  const property = fc.property(
    anyMember,
    fc.option(anyToken),
    anyPower,
    fc.boolean(),
    (member, token, power, isService) => {
      const caller = callerOf(member, token ?? undefined);
      if (!isAllowed(() => checkGrant(caller, power, isService))) return;
      granted += 1;
      const made = callerOf(member, tokenOf(power, isService));
      for (const [action, resource] of QUESTIONS) {
        if (can(made, action, resource)) assert.ok(can(caller, action, resource), `${action} on ${resource}`);
      }
    },
  );
  fc.assert(property, { numRuns: 5000 });
  assert.ok(granted > 500, 'and much is granted');
});

test('whatever is in reach, it can do nothing that the caller cannot', () => {
  const access = { action: 'resetAccessToken', resource: 'x' };
  const property = fc.property(anyMember, fc.option(anyToken), anyToken, (member, token, touched) => {
    const caller = callerOf(member, token ?? undefined);
    if (!isAllowed(() => checkTokenRank(caller, touched, access))) return;
    const reached = callerOf(member, touched);
    for (const [action, resource] of QUESTIONS) {
      if (can(reached, action, resource))
        assert.ok(can(caller, action, resource), `${action} on ${resource}`);
    }
  });
  fc.assert(property, { numRuns: 5000 });
});

test('in the browser, members give personal tokens any statements: their own role bounds them', () => {
  const inlinePolicy = CUSTOM['everything']!;
  for (const role of ROLES) {
    assert.ok(
      isAllowed(() => checkGrant(callerOf(memberOf(role)), { customRoles: [], inlinePolicy }, false)),
      role,
    );
  }
});

test('a member can tend a token that was given more power than they have now', () => {
  const strong = tokenOf({ role: 'owner', customRoles: [] }, false);
  const access = { action: 'resetAccessToken', resource: 'x' };
  assert.ok(isAllowed(() => checkTokenRank(callerOf(memberOf('reader')), strong, access)));
  const weak = callerOf(memberOf('owner'), tokenOf({ role: 'reader', customRoles: [] }, false));
  assert.ok(!isAllowed(() => checkTokenRank(weak, strong, access)));
});

const ACCESS = { action: 'updateRole', resource: 'member/x' };
const roleOf = (key: string, policy = CUSTOM[key]!) => ({ id: key, key, policy }) as unknown as Role;

test('no base role is given that the giver does not hold', () => {
  const property = fc.property(anyMember, fc.option(anyToken), anyRole, (member, token, role) => {
    const caller = callerOf(member, token ?? undefined);
    if (!isAllowed(() => checkRoleGrant(caller, role, ACCESS))) return;
    const made = callerOf(memberOf(role));
    for (const [action, resource] of QUESTIONS) {
      // Everyone has all permissions on their own tokens, so these are not granted.
      if (resource.startsWith('member/me')) continue;
      if (can(made, action, resource)) assert.ok(can(caller, action, resource), `${action} on ${resource}`);
    }
  });
  fc.assert(property, { numRuns: 5000 });
});

test('only holders of a custom role and administrators can grant it', () => {
  const property = fc.property(
    anyMember,
    fc.option(anyToken),
    fc.constantFrom(...Object.keys(CUSTOM)),
    (member, token, key) => {
      const caller = callerOf(member, token ?? undefined);
      const isAdmin = isAllowed(() => checkRoleGrant(caller, 'admin', ACCESS));
      if (isAdmin || !isAllowed(() => checkCustomGrant(caller, roleOf(key), ACCESS))) return;
      const given = compilePolicy(CUSTOM[key]!);
      for (const [action, resource] of QUESTIONS) {
        // Service tokens and custom roles are limited to the permissions of an administrator.
        if (!rolePolicies.admin.allows(action, resource)) continue;
        if (given.allows(action, resource)) assert.ok(can(caller, action, resource), `${action} ${resource}`);
      }
    },
  );
  fc.assert(property, { numRuns: 5000 });
});

test('only administrators can grant a role with placeholders, and the attributes that fill them', () => {
  const resources = ['proj/${roleAttribute/p}'];
  const role = roleOf('filled', [{ effect: 'allow', actions: ['*'], resources }]);
  const holder = callerOf(memberOf('reader'));
  holder.held = { roles: ['filled'], teams: [], managedTeams: [] };
  assert.ok(!isAllowed(() => checkCustomGrant(holder, role, ACCESS)));
  assert.ok(!isAllowed(() => checkAttributeGrant(callerOf(memberOf('writer')), ACCESS)));
  const admin = callerOf(memberOf('admin'));
  assert.ok(isAllowed(() => checkCustomGrant(admin, role, ACCESS)));
  assert.ok(isAllowed(() => checkAttributeGrant(admin, ACCESS)));
});

test('only callers who can grant the roles of a team can add members to it', () => {
  const team = { id: 'team', roles: [roleOf('everything')] };
  const may = (held: KnownCaller['held'], token?: Token) => {
    const caller = callerOf(memberOf('reader'), token);
    return isAllowed(() => checkTeamGrant({ ...caller, ...(held && { held }) }, team, ACCESS));
  };
  const none = { roles: [], teams: [], managedTeams: [] };
  assert.equal(may(none), false);
  assert.equal(may({ ...none, teams: ['team'] }), true, 'one of them');
  assert.equal(may({ ...none, managedTeams: ['team'] }), true, 'who tends it');
  assert.equal(may({ ...none, managedTeams: ['other'], teams: ['other'] }), false);
  assert.equal(may({ ...none, roles: ['everything'] }), true, 'who holds its roles');
  const narrow = tokenOf({ customRoles: [], inlinePolicy: CUSTOM['members']! }, false);
  assert.equal(
    may({ ...none, teams: ['team'], managedTeams: ['team'] }, narrow),
    false,
    'not with a narrowed token',
  );
  const service = tokenOf({ role: 'owner', customRoles: [] }, true);
  assert.equal(may(none, service), true, 'an administrator');
  const free = { id: 'team', roles: [] };
  assert.ok(
    isAllowed(() => checkTeamGrant(callerOf(memberOf('reader')), free, ACCESS)),
    'it gives nothing',
  );
});

test('administrators and owners are changed only by callers of at least the same role', () => {
  const may = (by: BaseRole, of: BaseRole) =>
    isAllowed(() => checkRank(callerOf(memberOf(by)), memberOf(of), ACCESS));
  for (const by of ROLES) {
    for (const of of ROLES) {
      const expected = ROLES.indexOf(of) <= Math.max(ROLES.indexOf(by), ROLES.indexOf('writer'));
      assert.equal(may(by, of), expected, `${by} changes ${of}`);
    }
  }
});

test('only administrators can change the policy of a role that is held', () => {
  const may = (by: BaseRole, isHeld: boolean) =>
    isAllowed(() => checkPolicyChange(callerOf(memberOf(by)), isHeld, ACCESS));
  assert.deepEqual([may('reader', false), may('writer', true), may('admin', true)], [true, false, true]);
});

test("a token that lacks its owner's team roles makes none that has them", () => {
  const member = memberOf('writer');
  const token = tokenOf({ role: 'writer', customRoles: [] }, false);
  const caller = {
    ...callerOf(member, token),
    held: { roles: ['everything'], teams: ['t'], managedTeams: [] },
  };
  const wide = { customRoles: [], inlinePolicy: CUSTOM['everything']! };
  assert.ok(!isAllowed(() => checkGrant(caller, wide, false)));
  const tending = { ...callerOf(member, token), held: { roles: [], teams: [], managedTeams: ['t'] } };
  assert.ok(!isAllowed(() => checkGrant(tending, wide, false)));
});

test('each base role is given by those who have the same, and by none below', () => {
  for (const [own, held] of ROLES.entries())
    for (const [given, role] of ROLES.entries()) {
      const grant = () => checkRoleGrant(callerOf(memberOf(held)), role, ACCESS);
      if (given <= own) grant();
      else assert.throws(grant, Failure, `${held} gives ${role}`);
    }
});

test('a token that expires gives no secret that lives longer, and one that ends at the same moment', () => {
  const until = (expiresAt?: number) => ({
    ...tokenOf({ role: 'writer', customRoles: [] }, false),
    ...(expiresAt !== undefined && { expiresAt }),
  });
  const by = (expiresAt?: number) => callerOf(memberOf('writer'), until(expiresAt));
  checkOutlives(by(1000), until(1000), ACCESS);
  checkOutlives(by(), until(), ACCESS);
  for (const touched of [until(1001), until()])
    assert.throws(() => checkOutlives(by(1000), touched, ACCESS), Failure);
  assert.deepEqual(
    [undefined, 999, 1000].map((wanted) => expiryOfNewToken(by(1000), wanted)),
    [1000, 999, 1000],
  );
  assert.throws(() => expiryOfNewToken(by(1000), 1001), Failure);
  assert.deepEqual([expiryOfNewToken(by(), undefined), expiryOfNewToken(by(), 5)], [undefined, 5]);
});

test('what a narrowed token has started grants nothing, though it has no token itself', () => {
  const boundary = { id: 'b', layers: [{ customRoles: [] }] };
  const caller: KnownCaller = {
    ...callerOf(memberOf('owner')),
    boundary,
    held: { roles: [], teams: ['team'], managedTeams: [] },
  };
  const team = { id: 'team', roles: [roleOf('everything')] };
  assert.ok(!isAllowed(() => checkRoleGrant(caller, 'reader', ACCESS)));
  assert.ok(!isAllowed(() => checkTeamGrant(caller, team, ACCESS)));
  const inline = { customRoles: [], inlinePolicy: CUSTOM['members']! };
  assert.ok(!isAllowed(() => checkGrant(caller, inline, false)));
});

test('a base role is given alone, and not with statements that it would hide', () => {
  const owner = callerOf(memberOf('owner'));
  const reader = { role: 'reader' as const, customRoles: [] };
  assert.ok(isAllowed(() => checkGrant(owner, reader, true)));
  assert.ok(!isAllowed(() => checkGrant(owner, { ...reader, customRoles: ['everything'] }, true)));
  const inlinePolicy = CUSTOM['everything']!;
  assert.ok(!isAllowed(() => checkGrant(owner, { ...reader, inlinePolicy }, true)));
});

test('a member whose custom role does not exist yet is not held to have none', () => {
  const token = tokenOf({ role: 'writer', customRoles: [] }, false);
  const held = { roles: [], teams: [], managedTeams: [] };
  const wide = { customRoles: [], inlinePolicy: CUSTOM['everything']! };
  const may = (member: Member) =>
    isAllowed(() => checkGrant({ ...callerOf(member, token), held }, wide, false));
  assert.deepEqual([may(memberOf('writer')), may(memberOf('writer', ['allButFlags']))], [true, false]);
});
