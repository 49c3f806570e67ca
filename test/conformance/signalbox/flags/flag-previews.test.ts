// Previews of changes to flags and segments over the Signalbox API: what would change, who may change it, and that nothing does.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { SEMANTIC } from '../../flags/feature-flags/feature-flag-calls.ts';

const BASE = '/signalbox/v1/projects/shop';

onEachEngine((engine) => {
  let server: TestServer;
  let reader: string;
  let number = 0;

  const make = async (path: string, body: object): Promise<Json> => {
    const { status, json, text } = await server.call(`/api/v2/${path}`, { method: 'POST', body });
    assert.equal(status, 201, text);
    return json;
  };
  const preview = (at: string, body: unknown, token?: string): Promise<Answer> =>
    server.call(`${BASE}/${at}/preview`, { method: 'POST', body, ...(token !== undefined && { token }) });
  const see = async (at: string, body: unknown, token?: string): Promise<Json> => {
    const { status, json, text } = await preview(at, body, token);
    assert.equal(status, 200, text);
    return json;
  };
  const patch = (path: string, body: unknown, token?: string): Promise<Answer> =>
    server.call(`/api/v2/${path}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body,
      ...(token !== undefined && { token }),
    });
  const fresh = async (fields: object = {}): Promise<string> => {
    number += 1;
    const key = `flag-${number}`;
    await make('flags/shop', { key, name: `Flag ${number}`, ...fields });
    return key;
  };
  const freshSegment = async (fields: object = {}, environment = 'test'): Promise<string> => {
    number += 1;
    const key = `segment-${number}`;
    await make(`segments/shop/${environment}`, { key, name: `Segment ${number}`, ...fields });
    return key;
  };
  const lastEvents = async (): Promise<Json[]> => {
    const { json } = await server.call('/api/v2/auditlog?limit=1');
    return json['items'] as Json[];
  };
  const tokenWith = async (inlinePolicy: PolicyStatement[]): Promise<string> => {
    number += 1;
    const member = await join(server, `member-${number}`, { role: 'admin' });
    return (await giveToken(server, member, { isService: true, inlinePolicy })).value;
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await make('projects', { key: 'shop', name: 'Shop' });
    await make('projects/shop/environments', {
      key: 'guarded',
      name: 'Guarded',
      color: 'ff0000',
      requireComments: true,
      confirmChanges: true,
      critical: true,
    });
    const { json } = await server.call('/api/v2/projects/shop/environments/guarded');
    assert.equal(json['critical'], true);
    reader = (await giveToken(server, await join(server, 'rita'), { role: 'reader' })).value;
  });
  after(() => server.stop());

  const ON = { environmentKey: 'test', instructions: [{ kind: 'turnFlagOn' }] };

  describe('of a flag', () => {
    test('has the version, the sentences, the members that change and the guard', async () => {
      const key = await fresh();
      assert.deepEqual(await see(`flags/${key}`, ON), {
        version: 1,
        sentences: [{ sentence: 'Turned on the flag in **Test**', part: 'on', environmentKey: 'test' }],
        before: { on: false },
        after: { on: true },
        guard: {
          environments: ['test'],
          requiresComment: false,
          requiresConfirmation: false,
          isCritical: false,
          requiresApproval: false,
          mayBypassApproval: false,
          mayApply: true,
        },
      });
    });

    test('writes nothing: neither the flag, nor an entry, nor an event', async () => {
      const key = await fresh();
      const old = (await server.call(`/api/v2/flags/shop/${key}`)).json;
      const events = await lastEvents();
      await see(`flags/${key}`, ON);
      assert.deepEqual((await server.call(`/api/v2/flags/shop/${key}`)).json, old);
      assert.deepEqual(await lastEvents(), events);
    });

    test('has the sentences that the audit log writes after the patch, and the state that the flag has then', async () => {
      const key = await fresh({ variations: [{ value: 'a' }, { value: 'b' }, { value: 'c' }] });
      const [a, b] = (await server.call(`/api/v2/flags/shop/${key}`)).json['variations'] as Json[];
      const body = {
        environmentKey: 'test',
        instructions: [
          { kind: 'turnFlagOn' },
          { kind: 'updateFallthroughVariationOrRollout', variationId: b!['_id'] },
          { kind: 'addTargets', contextKind: 'user', variationId: a!['_id'], values: ['ann', 'bob'] },
          { kind: 'updateName', value: 'Renamed' },
          { kind: 'addTags', values: ['web'] },
        ],
      };
      const { sentences, before: old, after: now, version } = await see(`flags/${key}`, body);
      const patched = await patch(`flags/shop/${key}`, body);
      assert.equal(patched.status, 200, patched.text);
      const [entry] = await lastEvents();
      const lines = (sentences as Json[]).map(({ sentence }) => `* ${sentence as string}`).join('\n');
      assert.equal(entry!['description'], lines);
      assert.deepEqual(
        (sentences as Json[]).map(({ part }) => part as string),
        ['name', 'tags', 'on', 'targets', 'fallthrough'],
      );
      assert.equal(patched.json['version'], version + 1);
      assert.deepEqual([old['name'], now['name']], [`Flag ${number}`, 'Renamed']);
      const config = patched.json['environments'].test as Json;
      for (const [name, value] of Object.entries(now['environments'].test as Json))
        assert.deepEqual(value, config[name], name);
      assert.deepEqual(Object.keys(now['environments'] as Json), ['test']);
    });

    test('of the flag as a whole shows its own members, and no environment is affected', async () => {
      const key = await fresh();
      const body = { instructions: [{ kind: 'updateDescription', value: 'Why it is there' }] };
      const { before: old, after: now, guard } = await see(`flags/${key}`, body);
      assert.deepEqual([old, now], [{ description: '' }, { description: 'Why it is there' }]);
      assert.deepEqual(guard.environments, []);
    });

    test('of nothing has no sentences', async () => {
      const key = await fresh();
      const body = { environmentKey: 'test', instructions: [{ kind: 'turnFlagOff' }] };
      const { sentences, before: old, after: now } = await see(`flags/${key}`, body);
      assert.deepEqual([sentences, old, now], [[], {}, {}]);
    });

    test('of a deletion ends with null', async () => {
      const key = await fresh();
      const shown = await see(`flags/${key}`, { instructions: [{ kind: 'deleteFlag' }] });
      assert.deepEqual(shown['sentences'], [{ sentence: 'Deleted the flag', part: 'flag' }]);
      assert.equal(shown['after'], null);
      assert.equal(shown['before'].name, `Flag ${number}`);
      assert.equal((await server.call(`/api/v2/flags/shop/${key}`)).status, 200);
    });

    test('says what a guarded environment asks for', async () => {
      const key = await fresh();
      const { guard } = await see(`flags/${key}`, { ...ON, environmentKey: 'guarded' });
      assert.deepEqual(
        [
          guard.environments,
          guard.requiresComment,
          guard.requiresConfirmation,
          guard.isCritical,
          guard.mayApply,
        ],
        [['guarded'], true, true, true, true],
      );
    });

    test('a new value of a variation affects all environments', async () => {
      const key = await fresh({ variations: [{ value: 'a' }, { value: 'b' }] });
      const [{ _id: variationId }] = (await server.call(`/api/v2/flags/shop/${key}`)).json['variations'];
      const body = { instructions: [{ kind: 'updateVariation', variationId, value: 'z' }] };
      const { guard } = await see(`flags/${key}`, body);
      assert.deepEqual((guard.environments as string[]).toSorted(), ['guarded', 'production', 'test']);
      assert.equal(guard.isCritical, true);
    });

    test('who may view and not change sees it, and which permission is missing', async () => {
      const key = await fresh();
      const { sentences, guard } = await see(`flags/${key}`, ON, reader);
      assert.equal(sentences.length, 1);
      const missing = { action: 'updateOn', resource: `proj/shop:env/test:flag/${key}` };
      assert.deepEqual([guard.mayApply, guard.missing], [false, missing]);
      assert.equal(guard.reason, `You do not have the permission updateOn on ${missing.resource}.`);
    });

    test('who is denied it in one environment is refused as the patch refuses', async () => {
      const key = await fresh({ variations: [{ value: 'a' }, { value: 'b' }] });
      const [{ _id: variationId }] = (await server.call(`/api/v2/flags/shop/${key}`)).json['variations'];
      const token = await tokenWith([
        { effect: 'allow', actions: ['*'], resources: ['proj/*', 'proj/*:env/*:flag/*'] },
        { effect: 'deny', actions: ['updateFlagVariations'], resources: ['proj/*:env/guarded:flag/*'] },
      ]);
      const body = { instructions: [{ kind: 'updateVariation', variationId, value: 'z' }] };
      const { guard } = await see(`flags/${key}`, body, token);
      const refused = await patch(`flags/shop/${key}`, body, token);
      assert.equal(refused.status, 401, refused.text);
      assert.deepEqual([guard.mayApply, guard.reason], [false, refused.json['message']]);
    });

    test('who may not view the project gets what the API says, and no more', async () => {
      const key = await fresh();
      const token = await tokenWith([{ effect: 'allow', actions: ['*'], resources: ['proj/other'] }]);
      for (const at of [`flags/${key}`, 'flags/none'])
        assert.equal((await preview(at, ON, token)).json['status'], 403);
      assert.equal((await preview('flags/none', ON)).json['status'], 404);
      const elsewhere = await server.call('/signalbox/v1/projects/none/flags/x/preview', {
        method: 'POST',
        body: ON,
      });
      assert.equal(elsewhere.status, 404);
      assert.equal((await preview(`flags/${key}`, ON, 'api-unknown')).status, 401);
    });

    test('instructions that the patch refuses are refused with its words', async () => {
      const key = await fresh();
      const bad: Json[] = [
        {
          environmentKey: 'test',
          instructions: [{ kind: 'updateRuleDescription', ruleId: 'none', description: '' }],
        },
        { environmentKey: 'test', instructions: [{ kind: 'turnFlagUpsideDown' }] },
        { environmentKey: 'nowhere', instructions: [{ kind: 'turnFlagOn' }] },
        { instructions: [{ kind: 'turnFlagOn' }] },
        { environmentKey: 'test', instructions: [{ kind: 'turnFlagOn', extra: 1 }] },
        {
          environmentKey: 'test',
          instructions: [{ kind: 'addPrerequisite', key: 'no-such-flag', variationId: 'x' }],
        },
        { instructions: [{ kind: 'updateMaintainerMember', value: '0123456789abcdef01234567' }] },
        { instructions: [{ kind: 'updateName', value: '' }] },
      ];
      for (const body of bad) {
        const seen = await preview(`flags/${key}`, body);
        const patched = await patch(`flags/shop/${key}`, body);
        assert.ok(patched.status >= 400, patched.text);
        assert.ok(seen.status === 422 || seen.status === 400, seen.text);
        assert.equal(seen.json['detail'], patched.json['message'], JSON.stringify(body));
      }
    });

    test('bodies that are no change are refused', async () => {
      const key = await fresh();
      for (const body of [{}, [], { instructions: [] }, { instructions: 'on' }, { ...ON, comment: 'no' }]) {
        const { status } = await preview(`flags/${key}`, body);
        assert.ok(status === 400 || status === 422, `${JSON.stringify(body)}: ${status}`);
      }
    });

    test('where approval is required it says so, and who may bypass it', async () => {
      const key = await fresh({ tags: ['careful'] });
      const settings = await server.call('/api/v2/projects/shop/environments/production', {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/approvalSettings/requiredApprovalTags', value: ['careful'] }],
      });
      assert.equal(settings.status, 200, settings.text);
      const body = { ...ON, environmentKey: 'production' };
      const { guard } = await see(`flags/${key}`, body);
      assert.deepEqual(
        [guard.requiresApproval, guard.mayBypassApproval, guard.mayApply],
        [true, false, false],
      );
      assert.match(guard.reason, /approval is required in Production/);
      const token = await tokenWith([
        { effect: 'allow', actions: ['*'], resources: ['proj/*', 'proj/*:env/*:flag/*'] },
      ]);
      const bypassing = (await see(`flags/${key}`, body, token))['guard'];
      assert.deepEqual([bypassing.requiresApproval, bypassing.mayBypassApproval], [true, true]);
      assert.equal(bypassing.mayApply, true);
    });

    test('planned changes that could no longer be applied are named', async () => {
      const key = await fresh();
      const rule = {
        environmentKey: 'test',
        instructions: [
          {
            kind: 'addRule',
            clauses: [{ contextKind: 'user', attribute: 'plan', op: 'in', values: ['pro'], negate: false }],
            variationId: (await server.call(`/api/v2/flags/shop/${key}`)).json['variations'][0]._id,
          },
        ],
      };
      const { json } = await patch(`flags/shop/${key}`, rule);
      const ruleId = json['environments'].test.rules[0]._id as string;
      const remove = [{ kind: 'removeRule', ruleId }];
      const { _id: id } = await make(`projects/shop/flags/${key}/environments/test/scheduled-changes`, {
        executionDate: server.clock.now() + 3_600_000,
        instructions: [{ kind: 'updateRuleDescription', ruleId, description: 'Paying' }],
      });
      const { conflicts } = await see(`flags/${key}`, { environmentKey: 'test', instructions: remove });
      assert.deepEqual(
        (conflicts as Json[]).map((conflict) => [conflict['kind'], conflict['id']]),
        [['scheduled-change', id]],
      );
    });

    test('flags that have it as a prerequisite there are touched', async () => {
      const key = await fresh();
      const [{ _id: variationId }] = (await server.call(`/api/v2/flags/shop/${key}`)).json['variations'];
      const other = await fresh();
      const needs = await patch(`flags/shop/${other}`, {
        environmentKey: 'test',
        instructions: [{ kind: 'addPrerequisite', key, variationId }],
      });
      assert.equal(needs.status, 200, needs.text);
      const { touches, touchesTotal } = await see(`flags/${key}`, ON);
      assert.deepEqual(touches, [{ flag: other, name: `Flag ${number}`, environments: ['test'] }]);
      assert.equal(touchesTotal, 1);
      const elsewhere = await see(`flags/${key}`, { ...ON, environmentKey: 'production' });
      assert.equal(elsewhere['touches'], undefined);
    });
  });

  describe('of a segment', () => {
    const at = (key: string, environment = 'test') => `environments/${environment}/segments/${key}`;

    test('has the sentences of the audit log, the members that change and the flags that use it', async () => {
      const key = await freshSegment();
      const flag = await fresh();
      const { variations } = (await server.call(`/api/v2/flags/shop/${flag}`)).json;
      const clause = { contextKind: 'user', attribute: '', op: 'segmentMatch', values: [key], negate: false };
      const used = await patch(`flags/shop/${flag}`, {
        environmentKey: 'test',
        instructions: [{ kind: 'addRule', clauses: [clause], variationId: variations[0]._id }],
      });
      assert.equal(used.status, 200, used.text);
      const body = {
        instructions: [
          { kind: 'updateName', value: 'Renamed' },
          { kind: 'addIncludedTargets', contextKind: 'user', values: ['ann'] },
        ],
      };
      const shown = await see(at(key), body);
      assert.deepEqual(shown['touches'], [{ flag, name: `Flag ${number}`, environments: ['test'] }]);
      assert.equal(shown['touchesTotal'], 1);
      assert.deepEqual(shown['after'], { name: 'Renamed', included: ['ann'] });
      assert.deepEqual(shown['before'].included, []);
      assert.equal(
        (await server.call(`/api/v2/segments/shop/test/${key}`)).json['version'],
        shown['version'],
      );
      const patched = await patch(`segments/shop/test/${key}`, body);
      assert.equal(patched.status, 200, patched.text);
      const [entry] = await lastEvents();
      const lines = (shown['sentences'] as Json[]).map(({ sentence }) => `- ${sentence as string}`);
      assert.equal(entry!['description'], lines.join('\n'));
    });

    test('of a big segment counts its members', async () => {
      const key = await freshSegment({ unbounded: true, unboundedContextKind: 'user' });
      const body = { instructions: [{ kind: 'addBigSegmentIncludedTargets', values: ['ann', 'bob'] }] };
      const shown = await see(at(key), body);
      assert.deepEqual([shown['before'], shown['after']], [{ includedCount: 0 }, { includedCount: 2 }]);
    });

    test('says who may change it, and what the environment asks for', async () => {
      const key = await freshSegment({}, 'guarded');
      const body = { instructions: [{ kind: 'updateName', value: 'Renamed' }] };
      const { guard } = await see(at(key, 'guarded'), body, reader);
      assert.deepEqual(guard, {
        environments: ['guarded'],
        requiresComment: true,
        requiresConfirmation: true,
        isCritical: true,
        requiresApproval: false,
        mayBypassApproval: false,
        mayApply: false,
        reason: `You do not have the permission updateName on proj/shop:env/guarded:segment/${key}.`,
        missing: { action: 'updateName', resource: `proj/shop:env/guarded:segment/${key}` },
      });
    });

    test('that does not exist, or by bad instructions, is refused as the patch is', async () => {
      const key = await freshSegment();
      const good = { instructions: [{ kind: 'updateName', value: 'x' }] };
      assert.equal((await preview(at('none'), good)).status, 404);
      assert.equal((await preview(at(key, 'nowhere'), good)).status, 404);
      for (const instruction of [
        { kind: 'removeRule', ruleId: 'none' },
        { kind: 'unknown' },
        { kind: 'updateName', value: 7 },
      ]) {
        const seen = await preview(at(key), { instructions: [instruction] });
        const patched = await patch(`segments/shop/test/${key}`, { instructions: [instruction] });
        assert.equal(seen.json['detail'], patched.json['message'], seen.text);
      }
    });
  });
});
