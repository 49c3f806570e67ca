// A call records the permissions it checked: without the one that its route declares, nothing is committed or sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy } from '../identity/policy.ts';
import { ActiveRequestContext } from './request-context.ts';
import type { RouteAccess } from './route.ts';

const everything = compilePolicy([{ effect: 'allow', actions: ['*'], resources: ['*'] }]);

function callOf(access: RouteAccess, ...asked: string[]): ActiveRequestContext {
  const call = new ActiveRequestContext({
    now: 0,
    method: 'POST',
    url: '/',
    site: '',
    prefix: '',
    headers: {},
    address: '',
    version: '1',
    shape: { id: 'try', method: 'POST', path: '/', summary: 'Try', access },
    categories: [],
    limits: {} as never,
    overridden: undefined,
  });
  call.caller = { kind: 'token', member: {} as never, grants: [[everything]] };
  for (const action of asked) call.requirePermission('thing/1', action);
  return call;
}

const CHANGE = true;
const READ = false;
const passes = (call: ActiveRequestContext, isChange: boolean) => {
  try {
    call.assertPermissionChecked(isChange);
    return true;
  } catch (error) {
    assert.match(String(error), /try has not asked for the permission that it declares: update/);
    return false;
  }
};

test('another permission than the declared one is not enough', () => {
  const access = { action: 'updateThing' };
  for (const kind of [CHANGE, READ]) {
    assert.equal(passes(callOf(access), kind), false);
    assert.equal(passes(callOf(access, 'deleteThing', 'updateThings'), kind), false);
    assert.equal(passes(callOf(access, 'deleteThing', 'updateThing'), kind), true);
  }
});

test('`can` counts as a check, and without an action it checks the declared one', () => {
  const asked = callOf({ action: 'updateThing' });
  assert.equal(asked.can('thing/1'), true);
  assert.equal(passes(asked, CHANGE), true);
});

test('a declared pattern is any permission that it matches', () => {
  const access = { action: 'update*' };
  assert.equal(passes(callOf(access, 'updateName'), CHANGE), true);
  assert.equal(passes(callOf(access, 'deleteThing'), CHANGE), false);
});

test('further actions count as well, but viewing is enough only where nothing changes', () => {
  const access = { action: 'update*', others: ['viewThing', 'deleteThing'] };
  assert.equal(passes(callOf(access, 'viewThing'), READ), true);
  assert.equal(passes(callOf(access, 'viewThing'), CHANGE), false);
  assert.equal(passes(callOf(access, 'deleteThing'), CHANGE), true);
});

test('a route without a permission needs no check', () => {
  for (const access of ['anyone', 'caller'] as const) assert.equal(passes(callOf(access), CHANGE), true);
});
