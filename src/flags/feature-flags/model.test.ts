// The rules of flags, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Flag, FlagConfig, Rule } from './flag.ts';
import { differencesOf, describe as describeAll, verbOf } from './change/differences.ts';
import { kindOf, newConfig, summarize, normalizeFlag, usedBy, validateFlag, validateSize } from './model.ts';
import { statusFactsOf, isUniform, flagStatusOf } from './status.ts';

function hex(): string {
  return '0'.repeat(32);
}

function flagWith(config: Partial<FlagConfig> = {}, fields: Partial<Flag> = {}): Flag {
  const defaults = { onVariation: 0, offVariation: 1 };
  const begun = newConfig({ defaults, version: 1 }, { trackEvents: false }, hex, 0);
  return {
    id: '',
    projectId: '',
    key: 'flag',
    name: 'Flag',
    description: '',
    version: 1,
    createdAt: 0,
    variations: [
      { _id: 'a', value: 'a' },
      { _id: 'b', value: 'b' },
      { _id: 'c', value: 'c' },
    ],
    defaults,
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: true },
    includeInSnippet: false,
    temporary: true,
    tags: [],
    customProperties: {},
    archived: false,
    deprecated: false,
    environments: { test: { ...begun, ...config } },
    ...fields,
  };
}

const RULE = {
  _id: 'r',
  clauses: [{ _id: 'c', attribute: 'a', op: 'in', values: [1], negate: false }],
  trackEvents: false,
};

test('a flag of two booleans is boolean, and any other is multivariate', () => {
  const of = (...values: (boolean | string)[]) =>
    kindOf({ variations: values.map((value) => ({ _id: '', value })) });
  assert.equal(of(true, false), 'boolean');
  assert.equal(of(false, true), 'boolean');
  assert.equal(of(true, 'false'), 'multivariate');
  assert.equal(of(true, false, 'x'), 'multivariate');
});

describe('tidying', () => {
  test('gives each list of users its place among those of other contexts', () => {
    const { test: config } = normalizeFlag(
      flagWith({
        targets: [
          { values: ['u', 'u'], variation: 2, contextKind: 'user' },
          { values: [], variation: 0, contextKind: 'user' },
        ],
        contextTargets: [
          { values: ['o'], variation: 1, contextKind: 'org' },
          { values: [], variation: 1, contextKind: 'user' },
          { values: ['v'], variation: 2, contextKind: 'user' },
          { values: ['p'], variation: 1, contextKind: 'org' },
        ],
      }),
    ).environments;
    assert.deepEqual(config!.contextTargets, [
      { values: ['o', 'p'], variation: 1, contextKind: 'org' },
      { values: [], variation: 2, contextKind: 'user' },
    ]);
    assert.deepEqual(config!.targets, [{ values: ['v', 'u'], variation: 2, contextKind: 'user' }]);
  });

  test('done twice is done once', () => {
    const once = normalizeFlag(
      flagWith(
        { targets: [{ values: ['u'], variation: 0, contextKind: 'user' }] },
        { tags: ['b', 'a', 'b'] },
      ),
    );
    assert.deepEqual(once.tags, ['a', 'b']);
    assert.deepEqual(normalizeFlag(once), once);
    assert.equal(normalizeFlag(once).environments['test'], once.environments['test']);
  });
});

describe('a flag is refused with', () => {
  const wrong: [string, Flag, RegExp][] = [
    ['one variation', flagWith({}, { variations: [{ _id: 'a', value: 1 }] }), /two or more/],
    [
      'equal variations, whatever the order of their members',
      flagWith(
        {},
        {
          variations: [
            { _id: 'a', value: { x: 1, y: [{ p: 1, q: 2 }] } },
            { _id: 'b', value: { y: [{ q: 2, p: 1 }], x: 1 } },
          ],
        },
      ),
      /variations.1.value/,
    ],
    [
      'a default that is no variation',
      flagWith({}, { defaults: { onVariation: 3, offVariation: 0 } }),
      /defaults.onVariation/,
    ],
    [
      'two sorts of maintainers',
      flagWith({}, { maintainerId: 'x', maintainerTeamKey: 'y' }),
      /maintainerTeamKey/,
    ],
    ['an off variation that is none', flagWith({ offVariation: 1.5 }), /offVariation/],
    ['a default rule of nothing', flagWith({ fallthrough: {} }), /fallthrough/],
    [
      'weights that make too much',
      flagWith({
        fallthrough: {
          rollout: {
            variations: [
              { variation: 0, weight: 100_000 },
              { variation: 1, weight: 1 },
            ],
          },
        },
      }),
      /100000 together, not 100001/,
    ],
    [
      'a negative weight',
      flagWith({
        fallthrough: {
          rollout: {
            variations: [
              { variation: 0, weight: 100_001 },
              { variation: 1, weight: -1 },
            ],
          },
        },
      }),
      /weight/,
    ],
    ['a rule for everyone', flagWith({ rules: [{ ...RULE, variation: 0, clauses: [] }] }), /rules.0.clauses/],
    ['a rule of an unknown variation', flagWith({ rules: [{ ...RULE, variation: 9 }] }), /rules.0.variation/],
    [
      'a key in two variations',
      flagWith({
        contextTargets: [
          { values: ['k'], variation: 0, contextKind: 'org' },
          { values: ['k'], variation: 1, contextKind: 'org' },
        ],
      }),
      /"k" in two variations/,
    ],
    ['itself as a prerequisite', flagWith({ prerequisites: [{ key: 'flag', variation: 0 }] }), /itself/],
    [
      'a prerequisite twice',
      flagWith({
        prerequisites: [
          { key: 'x', variation: 0 },
          { key: 'x', variation: 1 },
        ],
      }),
      /twice/,
    ],
  ];
  for (const [what, flag, message] of wrong) {
    test(what, () => assert.throws(() => validateFlag(flag), message));
  }

  test('more than it can hold, unless it had more before', () => {
    const large = flagWith({}, { description: 'x'.repeat(3 * 1024 * 1024) });
    assert.throws(() => validateSize(flagWith(), large), /characters/);
    validateSize(large, { ...large, name: '' });
  });
});

test('the same key may be in two variations for two kinds of contexts', () => {
  validateFlag(
    flagWith({
      targets: [{ values: ['k'], variation: 0, contextKind: 'user' }],
      contextTargets: [{ values: ['k'], variation: 1, contextKind: 'org' }],
    }),
  );
});

test('a summary counts what speaks of each variation', () => {
  const { test: config } = flagWith({
    targets: [{ values: ['u', 'v'], variation: 1, contextKind: 'user' }],
    contextTargets: [{ values: ['o'], variation: 1, contextKind: 'org' }],
    rules: [{ ...RULE, variation: 0 }],
    fallthrough: {
      rollout: {
        variations: [
          { variation: 0, weight: 20_000 },
          { variation: 2, weight: 80_000 },
        ],
        bucketBy: 'country',
      },
    },
    prerequisites: [{ key: 'x', variation: 0 }],
  }).environments;
  const none = { rules: 0, nullRules: 0, targets: 0, contextTargets: 0 };
  assert.deepEqual(summarize(config!), {
    prerequisites: 1,
    variations: {
      0: { ...none, rules: 1, rollout: 20_000, bucketBy: 'country' },
      1: { ...none, targets: 2, contextTargets: 1, isOff: true },
      2: { ...none, rollout: 80_000, bucketBy: 'country' },
    },
  });
  assert.deepEqual(usedBy(config!), new Set([0, 2, 1]));
});

describe('differences', () => {
  const names = new Map([['test', 'Te*st']]);

  test('name the permission of each, and are told in Markdown', () => {
    const before = flagWith({}, { tags: ['old'] });
    const { test: config } = before.environments;
    const after: Flag = {
      ...before,
      name: 'New `name`',
      tags: ['new'],
      environments: {
        test: { ...config!, on: true, rules: [{ ...RULE, variation: 0 }], fallthrough: { variation: 2 } },
      },
    };
    const found = differencesOf(before, after, names);
    assert.deepEqual(
      found.map(({ action, environmentKey }) => [action, environmentKey]),
      [
        ['updateName', undefined],
        ['updateTags', undefined],
        ['updateOn', 'test'],
        ['updateRules', 'test'],
        ['updateFallthrough', 'test'],
      ],
    );
    assert.equal(
      describeAll(found),
      [
        "* Changed the name from `Flag` to `New 'name'`",
        '* Added the tag `new`; Removed the tag `old`',
        '* Turned on the flag in **Te\\*st**',
        '* Added a rule in **Te\\*st**',
        '* Changed the default rule from `"a"` to `"c"` in **Te\\*st**',
      ].join('\n'),
    );
    assert.equal(verbOf(found), 'updated the flag');
  });

  test('of targets name the keys and the variations', () => {
    const target = (values: string[], variation: number) => ({ values, variation, contextKind: 'user' });
    const before = flagWith({ targets: [target(['ann', 'bob'], 0)] });
    const { test: config } = before.environments;
    const line = (targets: ReturnType<typeof target>[]) =>
      differencesOf(before, { ...before, environments: { test: { ...config!, targets } } }, names)[0]!.line;
    assert.equal(
      line([target(['ann'], 0), target(['bob', 'carl'], 1)]),
      'Changed the targets: added `bob`, `carl` to `"b"`; removed `bob` from `"a"` in **Te\\*st**',
    );
    const many = Array.from({ length: 20_000 }, (_, index) => `k${index}`);
    assert.equal(line([target(many, 0)]), 'Changed the targets in **Te\\*st**');
  });

  test('of rules name the rules by their numbers', () => {
    const rule = (id: string, variation: number): Rule => ({ ...RULE, _id: id, variation });
    const before = flagWith({ rules: [rule('x', 0), rule('y', 0), rule('z', 0)] });
    const { test: config } = before.environments;
    const line = (...rules: Rule[]) =>
      differencesOf(before, { ...before, environments: { test: { ...config!, rules } } }, names)[0]!.line;
    const at = ' in **Te\\*st**';
    assert.equal(
      line(rule('x', 0), rule('y', 1), rule('z', 0)),
      `Changed what rule 2 serves from \`"a"\` to \`"b"\`${at}`,
    );
    assert.equal(line(rule('x', 1), rule('y', 0), rule('z', 2)), `Changed the rules 1, 3${at}`);
    assert.equal(line(rule('x', 0), { ...rule('y', 0), clauses: [] }, rule('z', 0)), `Changed rule 2${at}`);
    assert.equal(line(rule('y', 0), rule('x', 0), rule('z', 0)), `Changed the order of the rules${at}`);
    assert.equal(
      line(rule('n', 0), rule('y', 0), rule('z', 1)),
      `Added a rule; removed a rule; changed what rule 3 serves from \`"a"\` to \`"b"\`${at}`,
    );
  });

  test('that are one have a verb of their own', () => {
    const before = flagWith();
    const verb = (after: Flag) => verbOf(differencesOf(before, after, names));
    const { test: config } = before.environments;
    assert.equal(verb({ ...before, environments: { test: { ...config!, on: true } } }), 'turned on the flag');
    assert.equal(verb({ ...before, name: 'x' }), 'changed the name of');
    assert.equal(verb({ ...before, archived: true }), 'archived the flag');
    assert.equal(verb({ ...before, tags: ['t'] }), 'added the tag t to');
    assert.deepEqual(differencesOf(before, before, names), []);
  });

  test('of no more than the words of rules take a permission of their own', () => {
    const before = flagWith({ rules: [{ ...RULE, variation: 0 }] });
    const { test: config } = before.environments;
    const rules = [{ ...RULE, variation: 0, description: 'Why' }];
    const [found] = differencesOf(
      before,
      { ...before, environments: { test: { ...config!, rules } } },
      names,
    );
    assert.equal(found!.action, 'updateFlagRuleDescription');
  });
});

describe('a status', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const usage = (at: number) => ({ lastRequestedAt: at, lastDefault: null });
  const of = (flag: Flag, used: ReturnType<typeof usage> | undefined, now: number) =>
    flagStatusOf(statusFactsOf(flag, flag.environments['test']!), used, now);

  test('goes by age and use, then by change and by who gets what', () => {
    const on = flagWith({ on: true });
    assert.equal(of(on, undefined, 6 * DAY), 'new');
    assert.equal(of(on, undefined, 7 * DAY), 'inactive');
    assert.equal(of(on, usage(6 * DAY), 6 * DAY), 'active');
    assert.equal(of(on, usage(6 * DAY), 7 * DAY), 'launched');
    assert.equal(of(on, usage(6 * DAY), 13 * DAY), 'inactive');
    assert.equal(of(flagWith(), usage(6 * DAY), 7 * DAY), 'active');
  });

  test('is launched only where everyone gets the same', () => {
    const config = (parts: Partial<FlagConfig>) => flagWith(parts).environments['test']!;
    assert.equal(isUniform(config({})), true);
    assert.equal(isUniform(config({ rules: [{ ...RULE, variation: 0 }] })), true);
    assert.equal(isUniform(config({ rules: [{ ...RULE, variation: 1 }] })), false);
    assert.equal(isUniform(config({ prerequisites: [{ key: 'x', variation: 0 }] })), false);
    const rollout = (weights: number[]) => ({
      rollout: { variations: weights.map((weight, variation) => ({ variation, weight })) },
    });
    assert.equal(isUniform(config({ fallthrough: rollout([100_000, 0]) })), true);
    assert.equal(isUniform(config({ fallthrough: rollout([50_000, 50_000]) })), false);
  });
});
