import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { Failure } from '../failure.ts';
import { compileBaseRoles } from './role-policies.ts';
import {
  can,
  compilePolicy,
  decide,
  requirePermission,
  isDenied,
  parseStatements,
  type Policy,
  type PolicyStatement,
} from './policy.ts';

const allow = (actions: string, ...resources: string[]): PolicyStatement => ({
  effect: 'allow',
  actions: actions.split(' '),
  resources,
});
const deny = (actions: string, ...resources: string[]): PolicyStatement => ({
  ...allow(actions, ...resources),
  effect: 'deny',
});

describe('a resource specifier', () => {
  const rows: [specifier: string, resource: string, matches: boolean][] = [
    ['*', 'acct', true],
    ['*', 'proj/p:env/e:flag/f;a,b', true],
    ['acct', 'acct', true],
    ['acct', 'acct/x', false],
    ['acct', 'account', false],
    ['acct', 'acct;tagged', true],
    ['proj/*', 'proj/p', true],
    ['proj/*', 'project/p', false],
    ['proj/*', 'pro/p', false],
    ['proj/p', 'proj/p', true],
    ['proj/p', 'proj/pq', false],
    ['proj/p', 'proj/P', false],
    ['proj/p*', 'proj/pq', true],
    ['proj/*p', 'proj/qp', true],
    ['proj/a*b*c', 'proj/aXbYc', true],
    ['proj/a*b*c', 'proj/abc', true],
    ['proj/a*b*c', 'proj/acb', false],
    ['proj/ab*ba', 'proj/aba', false],
    ['proj/**', 'proj/p', true],
    ['proj/p.q', 'proj/pxq', false],
    ['proj/*', 'proj/p:env/e', false],
    ['proj/*:env/*', 'proj/p', false],
    ['proj/*:env/*', 'proj/p:env/e', true],
    ['proj/*:env/*', 'proj/p:metric/e', false],
    ['proj/*:env/production', 'proj/p:env/production', true],
    ['proj/*:env/production', 'proj/p:env/production-2', false],
    ['proj/*:env/*:flag/*', 'proj/p:env/e:segment/f', false],
    ['proj/*:env/production:flag/ops_*', 'proj/p:env/production:flag/ops_x', true],
    ['proj/*:env/production:flag/ops_*', 'proj/p:env/production:flag/x', false],
    ['repo/me/*', 'repo/me/project', true],
    ['proj/*;a', 'proj/p', false],
    ['proj/*;a', 'proj/p;a', true],
    ['proj/*;a', 'proj/p;ab', false],
    ['proj/*;a,b', 'proj/p;b,c,a', true],
    ['proj/*;a,b', 'proj/p;a,c', false],
    ['proj/*;', 'proj/p', true],
    ['proj/p', 'proj/p;a', true],
    ['proj/*;a:env/*', 'proj/p;a:env/e', true],
    ['proj/*;a:env/*', 'proj/p:env/e;a', false],
    ['proj/*:env/*;crit:flag/*;x', 'proj/p:env/e;crit:flag/f;x,y', true],
  ];
  for (const [specifier, resource, matches] of rows) {
    test(`${specifier} ${matches ? 'matches' : 'does not match'} ${resource}`, () => {
      assert.equal(compilePolicy([allow('*', specifier)]).allows('view', resource), matches);
    });
  }
});

describe('an action', () => {
  const rows: [pattern: string, action: string, matches: boolean][] = [
    ['*', 'updateOn', true],
    ['updateOn', 'updateOn', true],
    ['updateOn', 'updateOnly', false],
    ['updateOn', 'updateon', false],
    ['update*', 'updateOn', true],
    ['update*', 'update', true],
    ['*Flag', 'deleteFlag', true],
    ['*Flag*', 'updateFlagVariations', true],
    ['createFlag deleteFlag', 'deleteFlag', true],
    ['createFlag deleteFlag', 'cloneFlag', false],
  ];
  for (const [pattern, action, matches] of rows) {
    test(`${action} ${matches ? 'is' : 'is not'} in "${pattern}"`, () => {
      assert.equal(compilePolicy([allow(pattern, '*')]).allows(action, 'proj/p'), matches);
    });
  }
});

describe('a policy', () => {
  test('without statements allows nothing', () => {
    assert.equal(compilePolicy([]).allows('viewProject', 'proj/p'), false);
  });
  test('denies where a deny matches, in whatever order', () => {
    const statements = [allow('*', '*'), deny('update*', 'proj/p')];
    for (const order of [statements, statements.toReversed()]) {
      const policy = compilePolicy(order);
      assert.equal(policy.allows('updateTags', 'proj/p'), false);
      assert.equal(policy.allows('updateTags', 'proj/q'), true);
      assert.equal(policy.allows('viewProject', 'proj/p'), true);
    }
  });
  test('with notActions applies to all other actions', () => {
    const policy = compilePolicy([{ effect: 'allow', notActions: ['delete*', 'x'], resources: ['*'] }]);
    assert.equal(policy.allows('updateOn', 'proj/p'), true);
    assert.equal(policy.allows('deleteFlag', 'proj/p'), false);
    assert.equal(policy.allows('x', 'proj/p'), false);
  });
  test('with notResources applies to all other resources', () => {
    const policy = compilePolicy([
      { effect: 'allow', actions: ['*'], notResources: ['proj/secret', 'acct'] },
    ]);
    assert.equal(policy.allows('x', 'proj/p'), true);
    assert.equal(policy.allows('x', 'proj/secret'), false);
    assert.equal(policy.allows('x', 'acct'), false);
  });
  test('does not apply a statement without lists to everything', () => {
    assert.equal(compilePolicy([{ effect: 'allow' }]).allows('x', 'acct'), false);
    assert.equal(compilePolicy([{ effect: 'allow', actions: ['*'] }]).allows('x', 'acct'), false);
    assert.equal(compilePolicy([{ effect: 'allow', resources: ['*'] }]).allows('x', 'acct'), false);
  });
  test('that denies is outweighed by another that allows', () => {
    const policies = [compilePolicy([deny('*', '*')]), compilePolicy([allow('x', 'acct')])];
    assert.equal(decide(policies, 'x', 'acct'), true);
    assert.equal(decide(policies, 'y', 'acct'), false);
    assert.equal(decide([], 'x', 'acct'), false);
  });
  test('that denies does not deny beside another that allows; what none allows is not denied', () => {
    const denying = compilePolicy([allow('*', '*'), deny('x', 'proj/p')]);
    const allowing = compilePolicy([allow('x', 'proj/p')]);
    const silent = compilePolicy([]);
    const asked = (grants: Policy[][], action = 'x') => isDenied({ grants }, action, 'proj/p');
    assert.equal(asked([[denying]]), true);
    assert.equal(asked([[denying]], 'y'), false);
    assert.equal(asked([[denying, silent]]), true);
    assert.equal(asked([[denying, allowing]]), false);
    assert.equal(asked([[allowing], [denying]]), true);
    assert.equal(asked([[silent]]), false);
    assert.equal(asked([]), false);
  });
});

describe('a caller', () => {
  const { reader, writer, no_access } = compileBaseRoles([]);

  test('may what every group allows by any of its policies', () => {
    const token = compilePolicy([allow('updateOn viewProject', '*')]);
    const caller = { grants: [[reader, writer], [token]] };
    assert.equal(can(caller, 'updateOn', 'proj/p:env/e:flag/f'), true);
    assert.equal(can(caller, 'updateTags', 'proj/p'), false);
    assert.equal(can({ grants: [[reader], [token]] }, 'updateOn', 'proj/p:env/e:flag/f'), false);
    assert.equal(can({ grants: [[no_access], [token]] }, 'viewProject', 'proj/p'), false);
  });
  test('with no group, or an empty one, may nothing', () => {
    assert.equal(can({ grants: [] }, 'viewProject', 'proj/p'), false);
    assert.equal(can({ grants: [[]] }, 'viewProject', 'proj/p'), false);
    assert.equal(can({ grants: [[writer], []] }, 'viewProject', 'proj/p'), false);
  });
  test('gets an error that names the missing permission', () => {
    const caller = { grants: [[reader]] };
    const access = { action: 'updateTags', resource: 'proj/p' };
    assert.doesNotThrow(() => requirePermission(caller, 'viewProject', 'proj/p'));
    assert.throws(() => requirePermission(caller, 'updateTags', 'proj/p'), {
      kind: 'denied',
      details: { access },
    });
    assert.throws(() => requirePermission(caller, 'updateTags', 'proj/p', 'forbidden'), {
      kind: 'forbidden',
      details: { access },
    });
  });
});

describe('statements', () => {
  test('have a limited number of names, as every call evaluates all of them', () => {
    const resources = Array.from({ length: 499 }, (_, index) => `proj/p${index}`);
    const statement = { effect: 'allow', actions: ['*'], resources };
    assert.equal(parseStatements(Array.from({ length: 10 }, () => statement)).length, 10);
    assert.throws(() => parseStatements(Array.from({ length: 11 }, () => statement)), { kind: 'invalid' });
  });

  test('are read, with empty lists dropped and strange members ignored', () => {
    const statements: PolicyStatement[] = [
      { effect: 'allow', actions: ['view*'], resources: ['*'] },
      { effect: 'deny', notActions: ['updateOn'], notResources: ['proj/p;a,b:env/*', 'acct'] },
    ];
    assert.deepEqual(parseStatements(statements), statements);
    assert.deepEqual(
      parseStatements([{ ...statements[0], notActions: [], notResources: [], _id: 1 }]),
      statements.slice(0, 1),
    );
    assert.deepEqual(parseStatements([]), []);
  });

  const base = { effect: 'allow', actions: ['*'], resources: ['*'] };
  const wrong: [value: unknown, field: string][] = [
    ['allow', '/0'],
    [null, '/0'],
    [[], '/0'],
    [{ ...base, effect: 'Allow' }, '/0/effect'],
    [{ actions: ['*'], resources: ['*'] }, '/0/effect'],
    [{ effect: 'allow', resources: ['*'] }, '/0'],
    [{ effect: 'allow', actions: ['*'] }, '/0'],
    [{ ...base, notActions: ['x'] }, '/0'],
    [{ ...base, notResources: ['acct'] }, '/0'],
    [{ ...base, actions: [] }, '/0'],
    [{ ...base, actions: '*' }, '/0/actions'],
    [{ ...base, actions: ['*', 1] }, '/0/actions/1'],
    [{ ...base, actions: [''] }, '/0/actions/0'],
    [{ ...base, actions: ['update on'] }, '/0/actions/0'],
    [{ ...base, resources: [''] }, '/0/resources/0'],
    [{ ...base, resources: ['*', 'proj/'] }, '/0/resources/1'],
    [{ ...base, resources: ['proj/a b'] }, '/0/resources/0'],
    [{ ...base, resources: ['proj/*:'] }, '/0/resources/0'],
    [{ ...base, resources: ['proj/*:*'] }, '/0/resources/0'],
    [{ ...base, resources: ['proj/*,env/*'] }, '/0/resources/0'],
    [{ ...base, resources: ['proj/*;a;b'] }, '/0/resources/0'],
    [{ ...base, resources: [`proj/${'x'.repeat(1000)}`] }, '/0/resources/0'],
  ];
  for (const [value, field] of wrong) {
    test(`${JSON.stringify(value).slice(0, 80)} is refused, naming ${field}`, () => {
      assert.throws(
        () => parseStatements([value]),
        (error) => {
          assert.ok(error instanceof Failure);
          assert.equal(error.kind, 'invalid');
          assert.equal(error.details.fields?.[0]?.field, field);
          return true;
        },
      );
    });
  }
  test('must be a list', () => {
    assert.throws(() => parseStatements({}), { kind: 'invalid' });
  });
});

describe('for any statements', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 10 });

  test('a glob matches like the equivalent regular expression', () => {
    fc.assert(
      fc.property(word, name, (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);
        assert.equal(compilePolicy([allow(pattern, '*')]).allows(text, 'acct'), expected);
        assert.equal(compilePolicy([allow('*', `x/${pattern}`)]).allows('x', `x/${text}`), expected);
      }),
      { numRuns: 2000 },
    );
  });

  const statement: fc.Arbitrary<PolicyStatement> = fc
    .tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.array(word, { minLength: 1, maxLength: 3 }), word)
    .map(([denies, notActions, notResources, actions, resource]) => ({
      effect: denies ? 'deny' : 'allow',
      [notActions ? 'notActions' : 'actions']: actions,
      [notResources ? 'notResources' : 'resources']: [`x/${resource}`],
    }));
  const statements = fc.array(statement, { maxLength: 4 });

  test('their order does not matter', () => {
    fc.assert(
      fc.property(statements, name, name, (list, action, on) => {
        assert.equal(
          compilePolicy(list).allows(action, `x/${on}`),
          compilePolicy(list.toReversed()).allows(action, `x/${on}`),
        );
      }),
    );
  });
  test('a further deny never grants, a further policy never revokes, a further group never grants', () => {
    fc.assert(
      fc.property(statements, statements, name, name, (list, others, action, on) => {
        const resource = `x/${on}`;
        const [policy, other] = [compilePolicy(list), compilePolicy(others)];
        const allowed = can({ grants: [[policy]] }, action, resource);
        const denied = compilePolicy([...list, ...others.filter(({ effect }) => effect === 'deny')]);
        assert.ok(allowed || !denied.allows(action, resource));
        assert.ok(!allowed || can({ grants: [[policy, other]] }, action, resource));
        assert.ok(allowed || !can({ grants: [[policy], [other]] }, action, resource));
      }),
    );
  });
});

test('a pattern of many stars is matched without trying again', async () => {
  const policy = compilePolicy([allow('*a'.repeat(400), `proj/${'*a'.repeat(400)}b`)]);
  const cpuMs = await cpuMsOf(() =>
    assert.equal(policy.allows('a'.repeat(100_000), `proj/${'a'.repeat(100_000)}`), false),
  );
  assert.ok(cpuMs < 10_000, `${cpuMs} ms`);
});
