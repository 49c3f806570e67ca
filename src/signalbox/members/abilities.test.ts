// Policies in sentences: what they say, what they leave out, and that they end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { describeAbilities, sentenceOfStatement, type HeldPolicy } from './abilities.ts';
import { describeActions } from './action-words.ts';

function held(statements: PolicyStatement[], more: Partial<HeldPolicy> = {}): HeldPolicy {
  return { key: 'ops', statements, baseRole: 'no_access', attributes: {}, isVisible: true, ...more };
}

test('actions are words, also those that no table knows', () => {
  for (const [actions, words] of [
    [['*'], 'do everything'],
    [['updateOn'], 'turn flags on and off'],
    [['viewProject'], 'see projects'],
    [['updateFlagVariations'], 'change flag variations'],
    [['deleteRepository', 'createFlag'], 'delete repositories and create flags'],
    [['x-y.z', 'constructor', 'update*n'], 'do x-y.z, do constructor and do update*n'],
    [[], 'do nothing'],
    [
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
      'do a, do b, do c, do d, do e, do f and do 2 more kinds of action',
    ],
  ] as const)
    assert.equal(describeActions(actions), words);
});

test('a statement says what it allows or denies, and where', () => {
  const inShop = { resources: ['proj/shop'] };
  for (const [statement, hasOther, sentence] of [
    [{ effect: 'allow', actions: ['updateOn'], ...inShop }, true, 'may turn flags on and off in proj/shop'],
    [
      { effect: 'deny', actions: ['updateOn'], ...inShop },
      false,
      'may not turn flags on and off in proj/shop',
    ],
    [
      { effect: 'deny', actions: ['*'], ...inShop },
      true,
      'may not do everything in proj/shop, unless another role allows it',
    ],
    [
      { effect: 'allow', notActions: ['deleteFlag'], resources: ['*'] },
      false,
      'may do everything but delete flags everywhere',
    ],
    [
      { effect: 'allow', actions: ['view*'], notResources: ['member/*:token/*'] },
      false,
      'may see everything everywhere but in member/*:token/*',
    ],
    [
      {
        effect: 'allow',
        actions: ['*'],
        resources: Array.from({ length: 9 }, (_, index) => `proj/p${index}`),
      },
      false,
      'may do everything in proj/p0, proj/p1, proj/p2, proj/p3, proj/p4, 4 more',
    ],
  ] as [PolicyStatement, boolean, string][])
    assert.equal(sentenceOfStatement(statement, {}, hasOther), sentence);
});

test('placeholders are filled with the attributes of the member, and one without a value allows nothing', () => {
  const resources = ['proj/${roleAttribute/project}'];
  const allow: PolicyStatement = { effect: 'allow', actions: ['*'], resources };
  assert.equal(
    sentenceOfStatement(allow, { project: ['a', 'b'] }, false),
    'may do everything in proj/a, proj/b',
  );
  assert.match(sentenceOfStatement(allow, {}, false), /nowhere yet/);
  assert.equal(
    sentenceOfStatement({ ...allow, effect: 'deny' }, {}, false),
    'may not do everything in proj/*',
  );
  const many = { ...allow, resources: ['${roleAttribute/a}'.repeat(40)] };
  const values = Array.from({ length: 100 }, (_, index) => `v${index}`);
  assert.match(sentenceOfStatement(many, { a: values }, false), /roleAttribute/);
});

test('every sentence names the role, the policy or the team that it comes from', () => {
  const { sentences, isComplete } = describeAbilities({
    role: 'no_access',
    policies: [
      held([{ effect: 'allow', actions: ['*'], resources: ['proj/a'] }], { baseRole: 'reader' }),
      held([], { key: 'hidden', isVisible: false, team: 'night' }),
    ],
    grants: [{ team: 'day', actions: ['updateTeamMembers'] }],
  });
  assert.equal(isComplete, true);
  assert.deepEqual(sentences, [
    { text: 'may do nothing by the base role alone', because: { role: 'no_access' } },
    { text: 'may do everything that a reader may, unless this role denies it', because: { policy: 'ops' } },
    { text: 'may do everything in proj/a', because: { policy: 'ops' } },
    {
      text: 'may do what the custom role hidden allows, which you may not see',
      because: { policy: 'hidden', team: 'night' },
    },
    { text: 'may change team members in team/day', because: { team: 'day' } },
  ]);
});

test('of more than two hundred sentences the first are shown', () => {
  const statement: PolicyStatement = { effect: 'allow', actions: ['*'], resources: ['*'] };
  const policies = Array.from({ length: 100 }, () => held(Array.from({ length: 500 }, () => statement)));
  const { sentences, isComplete } = describeAbilities({ role: 'owner', policies, grants: [] });
  assert.deepEqual([sentences.length, isComplete], [200, false]);
});
