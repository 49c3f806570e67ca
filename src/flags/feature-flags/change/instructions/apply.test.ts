import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Failure } from '../../../../kernel/failure.ts';
import type { Instruction } from '../../../patch/patch.ts';
import { validateFlag } from '../../model.ts';
import { applyInstructions, referencesOf } from './apply.ts';
import { ENVIRONMENT, NEEDED, OTHER, contextOf, buildExampleFlag, MEMBER, TEAM } from './case.ts';
import { casesFor, prepare, undone } from './cases.ts';
import { flagKinds } from './table.ts';

const others = new Map([NEEDED, OTHER].map((key) => [key, buildExampleFlag(key)]));
const context = contextOf(others);
const cases = casesFor(others, MEMBER, TEAM);
const banner = buildExampleFlag('banner');
const prepared = applyInstructions(banner, prepare(banner, others.get(NEEDED)!), context).flag;

/** Freezes deeply, so that a write into the input throws. */
function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
freeze(prepared);

const failsWith = (kind: string, start: string) => (error: unknown) => {
  assert.ok(error instanceof Failure);
  assert.equal(error.kind, kind);
  assert.ok(error.message.startsWith(start), error.message);
  return true;
};

test('there are 53 kinds, each with an example', () => {
  assert.equal(flagKinds.size, 53);
  assert.deepEqual(Object.keys(cases).toSorted(), [...flagKinds.keys()].toSorted());
});

for (const [name, { good, sees, gives, again, bad, names, isMisfit }] of Object.entries(cases)) {
  suite(name, () => {
    const before = undone[name]
      ? freeze(applyInstructions(prepared, [undone[name]], context).flag)
      : prepared;
    const instruction: Instruction = { kind: name, ...good(before) };
    const { flag, permissions, isDeleted } = applyInstructions(before, [instruction], context);

    test('does what it says, takes its permission, and leaves the flag that came in untouched', () => {
      assert.deepEqual(sees(flag), gives);
      const { level, action } = flagKinds.get(name)!;
      assert.deepEqual(permissions, [
        { action, ...(level === 'environment' && { environmentKey: ENVIRONMENT }) },
      ]);
      assert.equal(isDeleted, name === 'deleteFlag' ? true : undefined);
      assert.doesNotThrow(() => validateFlag(flag));
    });

    test('changes nothing else', () => {
      for (const [key, config] of Object.entries(flag.environments)) {
        if (key !== ENVIRONMENT && name !== 'removeVariation') assert.equal(config, before.environments[key]);
      }
      const touched = Object.keys(flag).filter(
        (member) => flag[member as keyof typeof flag] !== before[member as keyof typeof before],
      );
      const { level } = flagKinds.get(name)!;
      if (level === 'environment') assert.deepEqual(touched, ['environments']);
      else if (name !== 'removeVariation') assert.ok(!touched.includes('environments'));
    });

    test(`a second time: ${again}`, () => {
      const repeat = () => applyInstructions(flag, [instruction], context).flag;
      if (name === 'deleteFlag') {
        const twice = [instruction, instruction];
        assert.throws(
          () => applyInstructions(before, twice, context),
          failsWith('invalid', 'instructions[1] (deleteFlag): '),
        );
      } else if (again === 'fails')
        assert.throws(repeat, failsWith('invalid', `instructions[0] (${name}): `));
      else if (again === 'same') assert.equal(repeat(), flag);
      else assert.notDeepEqual(sees(repeat()), gives);
    });

    test(`a wrong "${names}" is named`, () => {
      const wrong = { kind: name, ...bad(before) };
      assert.throws(
        () => applyInstructions(before, [{ kind: 'turnFlagOn' }, wrong], context),
        failsWith(isMisfit ? 'bad-patch' : 'invalid', `instructions[1] (${name}): ${names}`),
      );
    });

    test('an unknown parameter is named', () => {
      assert.throws(
        () => applyInstructions(before, [{ ...instruction, surprise: 1 }], context),
        failsWith('bad-patch', `instructions[0] (${name}): surprise is not a known field`),
      );
    });

    if (flagKinds.get(name)!.level === 'environment') {
      test('needs an environment that the flag has', () => {
        const { environmentKey: _, ...nowhere } = context;
        assert.throws(
          () => applyInstructions(before, [instruction], nowhere),
          failsWith('bad-patch', `instructions[0] (${name}): environmentKey is required`),
        );
        for (const environmentKey of ['staging', 'constructor', '__proto__']) {
          assert.throws(
            () => applyInstructions(before, [instruction], { ...context, environmentKey }),
            failsWith('invalid', 'environmentKey names no environment'),
          );
        }
      });
    } else {
      test('does not work beside an environment that the flag does not have', () => {
        assert.throws(
          () => applyInstructions(before, [instruction], { ...context, environmentKey: 'staging' }),
          failsWith('invalid', 'environmentKey names no environment: staging'),
        );
      });
    }
  });
}

const apply = (...instructions: Instruction[]) => applyInstructions(prepared, instructions, context);
const [red, green, grey, blue] = prepared.variations.map(({ _id }) => _id);

test('a kind that is not there is named, also one that every object has', () => {
  for (const kind of ['makeCoffee', 'constructor', '__proto__', '']) {
    assert.throws(
      () => apply({ kind: 'turnFlagOn' }, { kind }),
      failsWith('bad-patch', `instructions[1] (${kind}): kind is not one that flags know`),
    );
    assert.throws(() => referencesOf([{ kind }]), failsWith('bad-patch', `instructions[0] (${kind}): `));
  }
  assert.throws(
    () => apply({ kind: 'turnFlagon' }),
    ({ message }: Error) => [...flagKinds.keys()].every((name) => message.includes(name)),
  );
});

test('permissions are told once, in the order they are needed', () => {
  const { permissions } = apply(
    { kind: 'addTags', values: ['a'] },
    { kind: 'turnFlagOn' },
    { kind: 'turnFlagOff' },
    { kind: 'removeTags', values: ['a'] },
  );
  assert.deepEqual(permissions, [
    { action: 'updateTags' },
    { action: 'updateOn', environmentKey: ENVIRONMENT },
  ]);
});

test('later instructions see what earlier ones did', () => {
  const { flag } = apply(
    { kind: 'removeTargets', variationId: red, values: ['ada'] },
    { kind: 'addTargets', variationId: blue, values: ['ada'] },
  );
  assert.deepEqual(
    flag.environments[ENVIRONMENT]!.targets.map(({ values }) => values),
    [['bob'], ['cleo', 'ada']],
  );
});

test('a list of more than a thousand instructions is refused', () => {
  const many = Array.from({ length: 1001 }, () => ({ kind: 'turnFlagOn' }));
  assert.throws(
    () => applyInstructions(prepared, many, context),
    failsWith('invalid', 'A patch can have at most'),
  );
  assert.throws(() => referencesOf(many), failsWith('invalid', 'A patch can have at most'));
});

test('what is served is a variation or a rollout, not both and not neither', () => {
  const serve = (parameters: object) => () =>
    apply({ kind: 'updateFallthroughVariationOrRollout', ...parameters });
  const at = 'instructions[0] (updateFallthroughVariationOrRollout): ';
  assert.throws(serve({}), failsWith('bad-patch', `${at}variationId or rolloutWeights is required`));
  assert.throws(
    serve({ variationId: red, rolloutWeights: { [red!]: 100_000 } }),
    failsWith('invalid', `${at}variationId cannot be given together`),
  );
  assert.throws(
    serve({ variationId: red, rolloutBucketBy: 'group' }),
    failsWith('bad-patch', `${at}rolloutBucketBy needs rolloutWeights`),
  );
  assert.throws(
    serve({ variationId: red, rolloutContextKind: 'company' }),
    failsWith('bad-patch', `${at}rolloutContextKind needs`),
  );
  assert.throws(serve({ rolloutWeights: {} }), failsWith('invalid', `${at}rolloutWeights must make 100000`));
  assert.throws(
    serve({ rolloutWeights: { [red!]: 50_000.5, [blue!]: 49_999.5 } }),
    failsWith('bad-patch', `${at}rolloutWeights`),
  );
  assert.throws(
    serve({ rolloutWeights: { nobody: 100_000 } }),
    failsWith('invalid', `${at}rolloutWeights names no variation: nobody`),
  );
});

test('a clause needs an attribute, unless it is about segments', () => {
  const rule = (op: string) => ({
    kind: 'addRule',
    variationId: red,
    clauses: [{ attribute: '', op, values: ['beta-users'] }],
  });
  assert.throws(() => apply(rule('in')), failsWith('invalid', 'instructions[0] (addRule): clauses'));
  assert.doesNotThrow(() => apply(rule('segmentMatch')));
});

test('a variation that is served only in shares of nothing is not in use', () => {
  const { flag } = apply(
    { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: { [grey!]: 0, [blue!]: 100_000 } },
    { kind: 'removeVariation', variationId: grey },
  );
  assert.deepEqual(flag.environments[ENVIRONMENT]!.fallthrough.rollout!.variations, [
    { variation: 2, weight: 100_000 },
  ]);
});

test('a variation in use in any environment, or by default, stays', () => {
  for (const used of [red, green, blue]) {
    assert.throws(
      () => apply({ kind: 'removeVariation', variationId: used }),
      failsWith('invalid', 'instructions[0] (removeVariation): variationId'),
    );
  }
});

test('null is a value of a variation, and may be a default', () => {
  const { flag } = apply(
    { kind: 'addVariation', value: null },
    { kind: 'updateDefaultVariation', onVariationValue: null },
  );
  assert.deepEqual(flag.defaults, { onVariation: 4, offVariation: 3 });
});

test('an empty description takes it away', () => {
  const ruleId = prepared.environments[ENVIRONMENT]!.rules[0]!._id;
  const { flag } = apply(
    { kind: 'updateRuleDescription', ruleId, description: 'some' },
    { kind: 'updateRuleDescription', ruleId, description: '' },
  );
  assert.deepEqual(flag.environments[ENVIRONMENT]!.rules, prepared.environments[ENVIRONMENT]!.rules);
});

test('archiving and deprecating tell when', () => {
  const { flag } = apply({ kind: 'archiveFlag' }, { kind: 'deprecateFlag' });
  assert.deepEqual([flag.archivedAt, flag.deprecatedAt], [context.now, context.now]);
  const { flag: restored } = applyInstructions(
    flag,
    [{ kind: 'restoreFlag' }, { kind: 'restoreDeprecatedFlag' }],
    context,
  );
  assert.deepEqual(restored, prepared);
});

test('a flag that is archived cannot become a prerequisite', () => {
  const archived = new Map([[OTHER, { ...others.get(OTHER)!, archived: true }]]);
  assert.throws(
    () =>
      applyInstructions(
        prepared,
        [{ kind: 'addPrerequisite', key: OTHER, variationId: others.get(OTHER)!.variations[0]!._id }],
        { ...context, references: { ...context.references, flags: archived } },
      ),
    failsWith('invalid', 'instructions[0] (addPrerequisite): key names a flag that is archived'),
  );
});

test('a prerequisite with another variation is not added twice', () => {
  const variationId = others.get(NEEDED)!.variations[1]!._id;
  assert.throws(
    () => apply({ kind: 'addPrerequisite', key: NEEDED, variationId }),
    failsWith('invalid', 'instructions[0] (addPrerequisite): key'),
  );
});

test('what has to be loaded is told of all instructions', () => {
  const references = referencesOf([
    { kind: 'addPrerequisite', key: 'a', variationId: 'v' },
    { kind: 'updatePrerequisite', key: 'b', variationId: 'v' },
    {
      kind: 'replacePrerequisites',
      prerequisites: [
        { key: 'a', variationId: 'v' },
        { key: 'c', variationId: 'v' },
      ],
    },
    { kind: 'removePrerequisite', key: 'd' },
    { kind: 'updateMaintainerMember', value: MEMBER },
    { kind: 'updateMaintainerMember', value: 'someone' },
    { kind: 'updateMaintainerTeam', value: TEAM },
    { kind: 'updateName', value: 'e' },
  ]);
  assert.deepEqual(references, { flagKeys: ['a', 'b', 'c'], memberIds: [MEMBER], teamKeys: [TEAM] });
});
