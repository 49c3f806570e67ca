// Who may give which power: no token that is made can do what its maker cannot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../failure.ts';
import type { KnownCaller } from './caller.ts';
import type { Member } from './members.ts';
import { can, compilePolicy, rolePolicies, type BaseRole, type Policy, type Statement } from './policy.ts';
import { checkGrant, checkReach } from './power.ts';
import type { Power, Token } from './tokens.ts';

const ROLES: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];

const CUSTOM: Record<string, Statement[]> = {
  everything: [{ effect: 'allow', actions: ['*'], resources: ['*'] }],
  members: [{ effect: 'allow', actions: ['*'], resources: ['member/*'] }],
  allButFlags: [
    { effect: 'allow', actions: ['*'], resources: ['*'] },
    { effect: 'deny', actions: ['*'], resources: ['proj/*:env/*:flag/*'] },
  ],
};

/** Questions on which roles and policies differ. */
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
const tokenOf = (power: Power, isService: boolean) =>
  ({ id: 't', memberId: 'm', isService, ...power }) as Token;

function policiesOf({ role, customRoles, inlinePolicy }: Power): Policy[] {
  return [
    ...(role === undefined ? [] : [rolePolicies[role]]),
    ...customRoles.map((name) => compilePolicy(CUSTOM[name]!)),
    ...(inlinePolicy === undefined ? [] : [compilePolicy(inlinePolicy)]),
  ];
}

/** What a token can do at all: a personal one what its owner and itself allow, a service token what itself allows. */
function callerOf(member: Member, token?: Token): KnownCaller {
  const bounds = token?.isService ? [rolePolicies[token.role ?? 'admin']] : policiesOf(member);
  const grants = token === undefined ? [bounds] : [bounds, policiesOf(token)];
  return { kind: token === undefined ? 'session' : 'token', member, grants, ...(token && { token }) };
}

const anyRole = fc.constantFrom(...ROLES);
const anyCustom = fc.subarray(Object.keys(CUSTOM));
const anyPower: fc.Arbitrary<Power> = fc.oneof(
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

test('whatever is granted, the new token can do nothing that its maker cannot', () => {
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
    if (!isAllowed(() => checkReach(caller, touched, access))) return;
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
  assert.ok(isAllowed(() => checkReach(callerOf(memberOf('reader')), strong, access)));
  const weak = callerOf(memberOf('owner'), tokenOf({ role: 'reader', customRoles: [] }, false));
  assert.ok(!isAllowed(() => checkReach(weak, strong, access)));
});
