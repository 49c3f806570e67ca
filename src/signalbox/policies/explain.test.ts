// Explanations of policies: they agree with the decision, and what is named decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { can, compilePolicy, type Policy, type PolicyStatement } from '../../kernel/identity/policy.ts';
import { explainDecision, type MatchedStatement } from './explain.ts';

const allow = (actions: string, resource: string): PolicyStatement => ({
  effect: 'allow',
  actions: actions.split(' '),
  resources: [resource],
});
const deny = (actions: string, resource: string): PolicyStatement => ({
  ...allow(actions, resource),
  effect: 'deny',
});

/** The same policies without these statements. */
const without = (grants: readonly (readonly Policy[])[], removed: readonly MatchedStatement[]) =>
  grants.map((policies, group) =>
    policies.map((policy) =>
      compilePolicy(
        policy.statements.filter(
          (_, index) =>
            !removed.some((one) => one.group === group && one.policy === policy && one.index === index),
        ),
      ),
    ),
  );

test('of several that allow all are named, and of those that refuse the ones that deny', async () => {
  const grants = [
    [compilePolicy([allow('view*', 'proj/*'), allow('*', 'proj/p')])],
    [compilePolicy([allow('*', '*'), deny('update*', 'proj/*')])],
  ];
  const seen = await explainDecision(grants, 'viewProject', 'proj/p');
  assert.deepEqual([seen.isAllowed, seen.reason], [true, 'allowed']);
  assert.deepEqual(
    seen.decidedBy.map(({ group, index, effect }) => [group, index, effect]),
    [[1, 0, 'allow']],
  );
  const refused = await explainDecision(grants, 'updateName', 'proj/p');
  assert.deepEqual([refused.isAllowed, refused.reason], [false, 'denied']);
  assert.deepEqual(
    refused.decidedBy.map(({ group, index, action, resource }) => [group, index, action.by, resource.by]),
    [[1, 1, 'update*', 'proj/*']],
  );
});

test('where no statement allows it the ones that come near are named, with the half that does not match', async () => {
  const grants = [[compilePolicy([allow('updateOn', 'proj/p'), allow('viewProject', 'proj/q')])]];
  const { reason, decidedBy, near, others } = await explainDecision(grants, 'updateOn', 'proj/q');
  assert.deepEqual([reason, decidedBy, others], ['silent', [], 0]);
  assert.deepEqual(
    near.map(({ index, action, resource }) => [index, action.isMatch, resource.isMatch]),
    [
      [0, true, false],
      [1, false, true],
    ],
  );
});

test('no policy at all allows nothing', async () => {
  const { isAllowed, reason } = await explainDecision([], 'x', 'acct');
  assert.deepEqual([isAllowed, reason], [false, 'silent']);
});

test('property: the answer is the decision, and without the statements that are named it is the other one', async () => {
  const names = (words: string[]) =>
    fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 });
  const actions = names(['*', 'a*', 'ab', 'b']);
  const resources = names(['*', 'proj/*', 'proj/p', 'acct']);
  const statement = fc
    .record({
      effect: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
      isNot: fc.constantFrom(0, 0, 0, 1, 2),
      actions,
      resources,
    })
    .map(({ effect, isNot, ...lists }): PolicyStatement => ({
      effect,
      ...(isNot === 1 ? { notActions: lists.actions } : { actions: lists.actions }),
      ...(isNot === 2 ? { notResources: lists.resources } : { resources: lists.resources }),
    }));
  const policy = fc.array(statement, { maxLength: 4 }).map((statements) => compilePolicy(statements));
  const group = fc.array(policy, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(group, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('ab', 'a', 'b', 'c'),
      fc.constantFrom('proj/p', 'proj/q', 'acct'),
      async (grants, action, resource) => {
        const { isAllowed, reason, decidedBy } = await explainDecision(grants, action, resource);
        assert.equal(isAllowed, can({ grants }, action, resource));
        if (reason === 'silent') assert.deepEqual([isAllowed, decidedBy], [false, []]);
        else {
          assert.ok(decidedBy.length > 0);
          assert.equal(can({ grants: without(grants, decidedBy) }, action, resource), !isAllowed);
          for (const kept of decidedBy) {
            const fewer = decidedBy.filter((one) => one !== kept);
            assert.equal(can({ grants: without(grants, fewer) }, action, resource), isAllowed);
          }
        }
      },
    ),
  );
});
