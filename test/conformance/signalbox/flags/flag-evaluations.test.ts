// Evaluations of a flag with a draft and with the reasons, over the Signalbox API: the results are those of the SDK endpoints.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { SEMANTIC } from '../../flags/feature-flags/feature-flag-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let number = 0;

  const make = async (path: string, body: object): Promise<Json> => {
    const { status, json, text } = await server.call(`/api/v2/${path}`, { method: 'POST', body });
    assert.equal(status, 201, text);
    return json;
  };
  const ask = (key: string, body: object, token?: string): Promise<Answer> =>
    server.call(`/signalbox/v1/projects/shop/flags/${key}/evaluate`, {
      method: 'POST',
      body: { environmentKey: 'test', ...body },
      ...(token !== undefined && { token }),
    });
  const evaluate = async (key: string, body: object): Promise<Json[]> => {
    const { status, json, text } = await ask(key, body);
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };
  const patch = async (key: string, ...instructions: object[]): Promise<Json> => {
    const { status, json, text } = await server.call(`/api/v2/flags/shop/${key}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions },
    });
    assert.equal(status, 200, text);
    return json;
  };
  /** A flag that serves one of three texts; `ids` are those of its variations. */
  const fresh = async (): Promise<{ key: string; ids: string[] }> => {
    number += 1;
    const { key, variations } = await make('flags/shop', {
      key: `flag-${number}`,
      name: 'Flag',
      variations: [{ value: 'a' }, { value: 'b' }, { value: 'c' }],
    });
    return { key: key as string, ids: (variations as Json[]).map(({ _id }) => _id as string) };
  };
  const clause = (attribute: string, op: string, values: unknown[], more: object = {}) => ({
    contextKind: 'user',
    attribute,
    op,
    values,
    negate: false,
    ...more,
  });
  const rule = (variationId: string, ...clauses: object[]) => ({ kind: 'addRule', clauses, variationId });
  const ANN = { kind: 'user', key: 'ann', country: 'DE', plan: 'free' };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await make('projects', { key: 'shop', name: 'Shop' });
  });
  after(() => server.stop());

  test('a flag that is off says so, and that it would have to be on', async () => {
    const { key } = await fresh();
    const [{ saved, draft }] = (await evaluate(key, { context: ANN })) as [Json];
    assert.deepEqual(saved, {
      value: 'c',
      variationIndex: 2,
      reason: { kind: 'OFF' },
      sentence: '"c" is served, because the flag is off.',
      trace: [{ kind: 'off', isMatch: true, sentence: 'The flag is off.' }],
      wouldNeed: ['The flag would have to be on.'],
    });
    assert.equal(draft, undefined);
  });

  test('rules are shown clause by clause, and what the first one that was missed would need', async () => {
    const { key, ids } = await fresh();
    await patch(
      key,
      { kind: 'turnFlagOn' },
      rule(ids[1]!, clause('country', 'in', ['FR', 'AT']), clause('plan', 'in', ['free'], { negate: true })),
      rule(ids[2]!, clause('country', 'startsWith', ['D'])),
    );
    const [{ saved }] = (await evaluate(key, { context: ANN })) as [Json];
    assert.equal(saved.sentence, '"c" is served, because rule 2 matched.');
    const [first, second] = saved.trace as [Json, Json];
    assert.deepEqual([first['ruleNumber'], first['isMatch']], [1, false]);
    assert.deepEqual(first['clauses'], [
      {
        attribute: 'country',
        contextKind: 'user',
        operator: 'in',
        negate: false,
        values: ['FR', 'AT'],
        valuesTotal: 2,
        value: 'DE',
        isMatch: false,
        sentence: 'The country of the user, "DE", is not one of "FR", "AT".',
      },
      {
        attribute: 'plan',
        contextKind: 'user',
        operator: 'in',
        negate: true,
        values: ['free'],
        valuesTotal: 1,
        value: 'free',
      },
    ]);
    assert.deepEqual(
      [second['ruleNumber'], second['isMatch'], second['clauses'][0].isMatch],
      [2, true, true],
    );
    assert.deepEqual(saved.wouldNeed, [
      'For rule 1, which serves "b", to match:',
      'The country of the user would have to be one of "FR", "AT". It is "DE".',
      'The plan of the user would have to not be one of "free". It is "free".',
    ]);
  });

  test('the draft is the saved flag after the instructions, and nothing is written', async () => {
    const { key, ids } = await fresh();
    await patch(key, { kind: 'turnFlagOn' });
    const instructions = [rule(ids[1]!, clause('country', 'in', ['DE']))];
    const [{ saved, draft, isDifferent }] = (await evaluate(key, { context: ANN, instructions })) as [Json];
    assert.deepEqual([saved.value, draft.value, isDifferent], ['a', 'b', true]);
    assert.equal(draft.reason.kind, 'RULE_MATCH');
    const [again] = (await evaluate(key, { context: ANN })) as [Json];
    assert.deepEqual(again['saved'], saved);
    assert.equal((await server.call(`/api/v2/flags/shop/${key}`)).json['version'], 2);
  });

  test('the results and buckets are those that SDK endpoints give, for saved and for draft', async () => {
    const { key, ids } = await fresh();
    await patch(key, { kind: 'turnFlagOn' });
    const instructions = [
      {
        kind: 'addRule',
        clauses: [clause('group', 'lessThan', [50])],
        rolloutWeights: { [ids[0]!]: 20_000, [ids[1]!]: 30_000, [ids[2]!]: 50_000 },
        rolloutContextKind: 'user',
      },
      {
        kind: 'updateFallthroughVariationOrRollout',
        rolloutWeights: { [ids[0]!]: 60_000, [ids[1]!]: 40_000, [ids[2]!]: 0 },
        rolloutContextKind: 'user',
      },
    ];
    const contexts = Array.from({ length: 100 }, (_, group) => ({
      kind: 'user',
      key: `user-${group}`,
      group,
    }));
    const drafted = await evaluate(key, { contexts, instructions });
    await patch(key, ...instructions);
    const saved = await evaluate(key, { contexts });
    for (const [index, context] of contexts.entries()) {
      const { json } = await server.call(
        `/api/v2/projects/shop/environments/test/flags/evaluate?filter=${encodeURIComponent(`query equals "${key}"`)}`,
        { method: 'POST', body: context },
      );
      const official = (json['items'] as Json[]).find((item) => item['key'] === key)!;
      assert.equal(drafted[index]!['draft'].value, official['_value']);
      assert.equal(saved[index]!['saved'].value, official['_value']);
      const { trace, variationIndex } = saved[index]!['saved'] as Json;
      const { rollout } = (trace as Json[]).at(-1)!;
      const chosen = (rollout.shares as Json[]).find(({ isChosen }) => isChosen)!;
      assert.equal(chosen['variationIndex'], variationIndex);
      assert.ok(rollout.bucket >= chosen['from'] && rollout.bucket < chosen['to'], JSON.stringify(rollout));
    }
  });

  test('individual targets decide before rules', async () => {
    const { key, ids } = await fresh();
    await patch(
      key,
      { kind: 'turnFlagOn' },
      { kind: 'addTargets', contextKind: 'user', variationId: ids[1], values: ['ann'] },
      rule(ids[2]!, clause('country', 'in', ['DE'])),
    );
    const [ann, bob] = (await evaluate(key, { contexts: [ANN, { ...ANN, key: 'bob' }] })) as [Json, Json];
    assert.deepEqual(
      ann['saved'].trace.map(({ kind, isMatch }: Json) => [kind, isMatch]),
      [['targets', true]],
    );
    assert.deepEqual(
      bob['saved'].trace.map(({ kind, isMatch }: Json) => [kind, isMatch]),
      [
        ['targets', false],
        ['rule', true],
      ],
    );
  });

  test('a prerequisite is shown with its own steps', async () => {
    const needed = await fresh();
    const { key } = await fresh();
    await patch(needed.key, { kind: 'turnFlagOn' }, rule(needed.ids[1]!, clause('country', 'in', ['DE'])));
    await patch(
      key,
      { kind: 'turnFlagOn' },
      { kind: 'addPrerequisite', key: needed.key, variationId: needed.ids[1] },
    );
    const contexts = [ANN, { ...ANN, country: 'FR' }];
    const [met, failed] = (await evaluate(key, { contexts })) as [Json, Json];
    assert.deepEqual(
      [met['saved'].value, met['saved'].trace[0].isMatch, met['saved'].trace[0].steps[0].kind],
      ['a', true, 'rule'],
    );
    const [step] = failed['saved'].trace as [Json];
    assert.deepEqual([step['flagKey'], step['isMatch'], step['wanted']], [needed.key, false, 1]);
    assert.deepEqual([step['variationIndex'], step['steps'].at(-1).kind], [0, 'default']);
    assert.equal(failed['saved'].reason.prerequisiteKey, needed.key);
    assert.match(failed['saved'].wouldNeed[0], new RegExp(`${needed.key} would have to be on`));
  });

  test('segments are shown with their rules, by key, and where they are missing', async () => {
    const { key, ids } = await fresh();
    const segment = `segment-${number}`;
    await make('segments/shop/test', { key: segment, name: 'Segment' });
    await server.call(`/api/v2/segments/shop/test/${segment}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: {
        instructions: [
          { kind: 'addIncludedTargets', contextKind: 'user', values: ['carl'] },
          { kind: 'addRule', clauses: [clause('country', 'in', ['DE'])] },
        ],
      },
    });
    await patch(
      key,
      { kind: 'turnFlagOn' },
      rule(ids[1]!, clause('', 'segmentMatch', ['none-such'])),
      rule(ids[2]!, clause('', 'segmentMatch', [segment])),
    );
    const contexts = [ANN, { ...ANN, key: 'carl' }, { ...ANN, country: 'FR' }];
    const [byRule, byKey, outside] = (await evaluate(key, { contexts })) as [Json, Json, Json];
    const asked = (item: Json, at: number) => item['saved'].trace[at].clauses[0].segments[0] as Json;
    assert.deepEqual([asked(byRule, 0)['isMatch'], asked(byRule, 0)['segment']], [false, 'none-such']);
    assert.equal(asked(byRule, 1)['sentence'], `A rule of the segment ${segment} matched.`);
    assert.equal(asked(byRule, 1)['rules'][0].clauses[0].value, 'DE');
    assert.equal(asked(byKey, 1)['sentence'], `The segment ${segment} includes the key of the context.`);
    assert.deepEqual([asked(outside, 1)['isMatch'], asked(outside, 1)['rules'][0].isMatch], [false, false]);
    assert.equal(outside['saved'].wouldNeed[1], 'The context would have to be in the segment "none-such".');
  });

  test('of a thousand rules that miss, fifty are shown and the others counted', async () => {
    const { key, ids } = await fresh();
    const long = 'x'.repeat(1500);
    const instructions = Array.from({ length: 999 }, (_, index) =>
      rule(ids[1]!, clause('country', 'in', [`${index}`, long])),
    );
    const more = [{ kind: 'turnFlagOn' }];
    await patch(key, ...instructions);
    const [{ draft }] = (await evaluate(key, { context: ANN, instructions: more })) as [Json];
    const kinds = (draft.trace as Json[]).map(({ kind }) => kind as string);
    assert.deepEqual(kinds, [...Array<string>(50).fill('rule'), 'left-out', 'default']);
    assert.equal(draft.trace[50].count, 949);
    assert.ok(JSON.stringify(draft).length < 100_000);
    const contexts = Array.from({ length: 100 }, (_, index) => ({ ...ANN, key: `u${index}` }));
    const many = await evaluate(key, { contexts, instructions: more });
    assert.equal(many[99]!['draft'].trace.filter(({ kind }: Json) => kind === 'rule').length, 5);
  });

  test('hostile patterns are given up as everywhere, and a warning says so', async () => {
    const { key, ids } = await fresh();
    await patch(
      key,
      { kind: 'turnFlagOn' },
      ...Array.from({ length: 20 }, (_, index) =>
        rule(ids[1]!, clause('text', 'matches', [`(x+x+)+y${index}$`, `(a|a|b?)*c${index}(x*)*$`])),
      ),
    );
    const context = { ...ANN, text: 'xa'.repeat(2000) };
    const [{ saved }] = (await evaluate(key, { context })) as [Json];
    assert.equal(saved.value, 'a');
    const { json } = await server.call(
      `/api/v2/projects/shop/environments/test/flags/evaluate?filter=${encodeURIComponent(`query equals "${key}"`)}`,
      { method: 'POST', body: context },
    );
    assert.deepEqual(saved.warnings, json['items'][0]._warnings);
  });

  test('archived flags can be tried, too', async () => {
    const { key } = await fresh();
    await patch(key, { kind: 'turnFlagOn' });
    await patch(key, { kind: 'archiveFlag' });
    const [{ saved }] = (await evaluate(key, { context: ANN })) as [Json];
    assert.equal(saved.value, 'a');
  });

  test('contexts that are none get the errors that they get elsewhere, with their place', async () => {
    const { key } = await fresh();
    for (const context of [
      { kind: 'user' },
      { kind: 'multi' },
      { kind: 'kind', key: 'x' },
      { kind: 'user', key: 7 },
    ]) {
      const elsewhere = await server.call('/api/v2/projects/shop/environments/test/flags/evaluate', {
        method: 'POST',
        body: context,
      });
      const here = await ask(key, { context });
      assert.deepEqual([here.status, here.json['detail']], [422, elsewhere.json['message']]);
      const listed = await ask(key, { contexts: [ANN, context] });
      assert.equal(listed.json['detail'], `contexts[1]: ${elsewhere.json['message'] as string}`);
    }
  });

  test('a body without a context, with both, with too many, or of another environment is refused', async () => {
    const { key } = await fresh();
    const many = Array.from({ length: 101 }, () => ANN);
    for (const [body, status] of [
      [{}, 422],
      [{ context: ANN, contexts: [ANN] }, 422],
      [{ contexts: [] }, 422],
      [{ contexts: many }, 422],
      [{ context: 'ann' }, 422],
      [{ context: ANN, extra: true }, 422],
      [{ context: ANN, environmentKey: 'nowhere' }, 404],
      [{ context: ANN, instructions: [{ kind: 'unknown' }] }, 422],
      [{ context: ANN, instructions: [{ kind: 'deleteFlag' }] }, 422],
    ] as const) {
      const answer = await ask(key, body);
      assert.ok(answer.status === status || (status === 422 && answer.status === 400), answer.text);
    }
    assert.equal((await ask('none', { context: ANN })).status, 404);
  });

  test('who may not view the project learns nothing', async () => {
    const { key } = await fresh();
    const { value } = await giveToken(server, await join(server, `stranger-${number}`), {
      isService: true,
      inlinePolicy: [{ effect: 'allow', actions: ['*'], resources: ['proj/other'] }],
    });
    assert.equal((await ask(key, { context: ANN }, value)).status, 403);
  });
});
