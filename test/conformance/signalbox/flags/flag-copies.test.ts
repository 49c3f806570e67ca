// Two environments compared and copied over the Signalbox API: what differs, what changes, who may, and that a dry run says the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { flagCalls } from '../../flags/feature-flags/feature-flag-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let project: string;
  let flags: ReturnType<typeof flagCalls>;
  let number = 0;

  const call = (path: string, init = {}): Promise<Answer> =>
    server.call(`/signalbox/v1/projects/${project}/${path}`, init);
  const good = async (answer: Promise<Answer>): Promise<Json> => {
    const { status, json, text } = await answer;
    assert.ok(status === 200 || status === 201, text);
    return json;
  };
  const compare = (query: string) => good(call(`compare?${query}`));
  const copy = (body: object, token?: string): Promise<Answer> =>
    call('copy', { method: 'POST', body, ...(token !== undefined && { token }) });
  const outcomes = ({ items }: Json) =>
    (items as Json[]).map(({ flag, environment, outcome }) => [flag, environment, outcome] as string[]);
  const open = async (): Promise<void> => {
    number += 1;
    project = `shop-${number}`;
    await good(server.call('/api/v2/projects', { method: 'POST', body: { key: project, name: 'Shop' } }));
    for (const [key, name] of [
      ['staging', 'Staging'],
      ['canary', 'Canary'],
    ])
      await good(
        server.call(`/api/v2/projects/${project}/environments`, {
          method: 'POST',
          body: { key, name, color: '000000' },
        }),
      );
    flags = flagCalls(server, project);
  };
  const tokenWith = async (inlinePolicy: PolicyStatement[]): Promise<string> => {
    const member = await join(server, `member-${number}`, { role: 'admin' });
    return (await giveToken(server, member, { isService: true, inlinePolicy })).value;
  };
  const ruled = async (key: string): Promise<void> => {
    await flags.make(key);
    const [on, off] = (await flags.get(key))['variations'] as Json[];
    const clauses = [{ contextKind: 'user', attribute: 'plan', op: 'in', values: ['pro'], negate: false }];
    const { status, text } = await flags.instruct(key, 'staging', [
      { kind: 'turnFlagOn' },
      { kind: 'addRule', clauses, variationId: on!['_id'] },
      { kind: 'addTargets', contextKind: 'user', variationId: off!['_id'], values: ['ann', 'bob'] },
      { kind: 'updateFallthroughVariationOrRollout', variationId: off!['_id'] },
    ]);
    assert.equal(status, 200, text);
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  test('only flags that differ are listed, with the parts in words', async () => {
    await open();
    await ruled('alpha');
    await flags.make('same');
    assert.deepEqual(await compare('from=staging&to=production'), {
      items: [
        {
          flag: 'alpha',
          name: 'alpha',
          version: 2,
          tags: [],
          parts: [
            { part: 'on', from: 'on', to: 'off' },
            { part: 'targets', from: '2 targets', to: 'no targets' },
            { part: 'rules', from: '1 rule', to: 'no rules' },
            { part: 'fallthrough', from: '`false`', to: '`true`' },
          ],
        },
      ],
    });
    assert.deepEqual(await compare('from=test&to=production'), { items: [] });
  });

  test('rules that say the same do not differ, whatever their ids; archived flags are left out', async () => {
    await open();
    await flags.make('twice');
    const [{ _id: variationId }] = (await flags.get('twice'))['variations'];
    const clauses = [{ contextKind: 'user', attribute: 'plan', op: 'in', values: ['pro'], negate: false }];
    for (const environment of ['staging', 'production'])
      await flags.instruct('twice', environment, [{ kind: 'addRule', clauses, variationId }]);
    await ruled('gone');
    await flags.instruct('gone', undefined, [{ kind: 'archiveFlag' }]);
    assert.deepEqual(await compare('from=staging&to=production'), { items: [] });
  });

  test('pages follow each other by the cursor, without gaps', async () => {
    await open();
    const keys = Array.from({ length: 7 }, (_, index) => `flag-${index}`);
    for (const key of keys) {
      await flags.make(key);
      if (key !== 'flag-3') await flags.instruct(key, 'staging', [{ kind: 'turnFlagOn' }]);
    }
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 10; page += 1) {
      const { items, next } = await compare(`from=staging&to=production&limit=2&cursor=${cursor}`);
      seen.push(...(items as Json[]).map(({ flag }) => flag as string));
      if (next === undefined) break;
      cursor = next as string;
    }
    assert.deepEqual(
      seen,
      keys.filter((key) => key !== 'flag-3'),
    );
  });

  test('a copy changes these parts in these environments and nothing else, with an entry for each', async () => {
    await open();
    await ruled('alpha');
    await ruled('beta');
    const old = await flags.get('alpha');
    const body = {
      from: 'staging',
      to: ['production', 'canary'],
      flags: [{ key: 'alpha', parts: ['rules', 'on'], version: old['version'] }],
      comment: 'As tried in staging',
    };
    const dry = await good(copy({ ...body, isDryRun: true }));
    assert.deepEqual(await flags.get('alpha'), old);
    const done = await good(copy(body));
    assert.deepEqual({ ...dry, isDryRun: false }, done);
    assert.equal(done['changed'], 2);
    assert.deepEqual(done['items'][0], {
      flag: 'alpha',
      environment: 'production',
      outcome: 'changed',
      sentences: [
        { sentence: 'Turned on the flag in **Production**', part: 'on', environmentKey: 'production' },
        { sentence: 'Added a rule in **Production**', part: 'rules', environmentKey: 'production' },
      ],
    });
    const now = await flags.get('alpha');
    for (const key of ['production', 'canary']) {
      const { on, rules, targets, fallthrough } = now['environments'][key] as Json;
      assert.deepEqual([on, rules], [true, old['environments'].staging.rules]);
      const was = old['environments'][key] as Json;
      assert.deepEqual([targets, fallthrough], [was['targets'], was['fallthrough']]);
    }
    for (const key of ['test', 'staging'])
      assert.deepEqual(now['environments'][key], old['environments'][key]);
    const { items } = (await server.call(`/api/v2/auditlog?limit=3&spec=proj/${project}:env/*:flag/alpha`))
      .json;
    assert.deepEqual(
      (items as Json[]).slice(0, 2).map(({ comment, titleVerb }) => [comment, titleVerb]),
      [
        ['As tried in staging', 'copied from staging to canary the configuration of'],
        ['As tried in staging', 'copied from staging to production the configuration of'],
      ],
    );
    const again = await good(copy({ ...body, flags: [{ key: 'alpha', parts: ['rules', 'on'] }] }));
    assert.deepEqual(outcomes(again), [
      ['alpha', 'production', 'same'],
      ['alpha', 'canary', 'same'],
    ]);
  });

  test('what may not be changed says why, and the others are changed', async () => {
    await open();
    await ruled('alpha');
    const token = await tokenWith([
      { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
      { effect: 'allow', actions: ['updateOn'], resources: ['proj/*:env/canary:flag/*'] },
    ]);
    const body = {
      from: 'staging',
      to: ['production', 'canary'],
      flags: [
        { key: 'alpha', parts: ['on'] },
        { key: 'none', parts: ['on'] },
      ],
    };
    const done = await good(copy(body, token));
    assert.deepEqual(outcomes(done), [
      ['alpha', 'production', 'refused'],
      ['alpha', 'canary', 'changed'],
      ['none', 'production', 'refused'],
      ['none', 'canary', 'refused'],
    ]);
    assert.deepEqual(done['items'][0].missing, {
      action: 'updateOn',
      resource: `proj/${project}:env/production:flag/alpha`,
    });
    assert.match(done['items'][2].reason, /no flag "none"/);
    const { environments } = await flags.get('alpha');
    assert.deepEqual([environments.production.on, environments.canary.on], [false, true]);
    const rules = await good(copy({ ...body, flags: [{ key: 'alpha', parts: ['rules'] }] }, token));
    assert.deepEqual(
      outcomes(rules).map(([, , outcome]) => outcome),
      ['refused', 'refused'],
    );
  });

  test('where approval or a comment is required it says so, and nothing changes there', async () => {
    await open();
    await ruled('alpha');
    const settings = { op: 'replace', path: '/approvalSettings/required', value: true };
    const comments = { op: 'replace', path: '/requireComments', value: true };
    for (const [key, operation] of [
      ['production', settings],
      ['canary', comments],
    ] as const)
      await good(
        server.call(`/api/v2/projects/${project}/environments/${key}`, {
          method: 'PATCH',
          body: [operation],
        }),
      );
    const body = {
      from: 'staging',
      to: ['production', 'canary', 'test'],
      flags: [{ key: 'alpha', parts: ['on'] }],
    };
    const done = await good(copy(body));
    assert.deepEqual(outcomes(done), [
      ['alpha', 'production', 'approval-required'],
      ['alpha', 'canary', 'refused'],
      ['alpha', 'test', 'changed'],
    ]);
    assert.match(done['items'][0].reason, /approval is required in Production/);
    assert.match(done['items'][1].reason, /comment is required/);
    assert.equal((await flags.get('alpha'))['environments'].production.on, false);
    const commented = await good(copy({ ...body, to: ['canary'], comment: 'Now' }));
    assert.deepEqual(outcomes(commented), [['alpha', 'canary', 'changed']]);
  });

  test('a flag that was changed since it was compared stays as it is', async () => {
    await open();
    await ruled('alpha');
    const { version } = await flags.get('alpha');
    await flags.instruct('alpha', 'production', [{ kind: 'addTags', values: ['new'] }]);
    const body = { from: 'staging', to: ['production'], flags: [{ key: 'alpha', parts: ['on'], version }] };
    const done = await good(copy(body));
    assert.deepEqual(outcomes(done), [['alpha', 'production', 'refused']]);
    assert.match(done['items'][0].reason, new RegExp(`version ${(version as number) + 1} now`));
  });

  test('prerequisites that would go in a circle are refused, in a dry run, too', async () => {
    await open();
    await flags.make('a');
    await flags.make('b');
    const [{ _id: ofA }] = (await flags.get('a'))['variations'];
    const [{ _id: ofB }] = (await flags.get('b'))['variations'];
    await flags.instruct('a', 'staging', [{ kind: 'addPrerequisite', key: 'b', variationId: ofB }]);
    await flags.instruct('b', 'production', [{ kind: 'addPrerequisite', key: 'a', variationId: ofA }]);
    const body = {
      from: 'staging',
      to: ['production', 'canary'],
      flags: [{ key: 'a', parts: ['prerequisites'] }],
    };
    for (const isDryRun of [true, false]) {
      const done = await good(copy({ ...body, isDryRun }));
      assert.deepEqual(
        outcomes(done).map(([, , outcome]) => outcome),
        ['refused', 'changed'],
      );
      assert.match(done['items'][0].reason, /circle/);
    }
  });

  test('what cannot be is refused', async () => {
    await open();
    await flags.make('alpha');
    const one = { key: 'alpha', parts: ['on'] };
    const base = { from: 'staging', to: ['production'], flags: [one] };
    const many = Array.from({ length: 101 }, (_, index) => ({ key: `f${index}`, parts: ['on'] }));
    for (const [body, status] of [
      [{ ...base, to: ['staging'] }, 422],
      [{ ...base, to: [] }, 422],
      [{ ...base, to: Array.from({ length: 11 }, (_, index) => `e${index}`) }, 422],
      [{ ...base, flags: [] }, 422],
      [{ ...base, flags: many }, 422],
      [{ ...base, flags: [one, one] }, 422],
      [{ ...base, flags: [{ key: 'alpha', parts: [] }] }, 422],
      [{ ...base, flags: [{ key: 'alpha', parts: ['salt'] }] }, 422],
      [{ ...base, extra: 1 }, 422],
      [{ ...base, from: 'nowhere' }, 404],
      [{ ...base, to: ['nowhere'] }, 404],
    ] as const) {
      const answer = await copy(body);
      assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 100)}: ${answer.text}`);
    }
    for (const [query, status] of [
      ['from=staging&to=staging', 422],
      ['from=staging&to=nowhere', 404],
      ['from=staging', 400],
      ['from=staging&to=production&limit=0', 400],
      ['from=staging&to=production&cursor=%00', 400],
      ['from=staging&to=production&cursor=not%20a%20key', 422],
    ] as const) {
      const answer = await call(`compare?${query}`);
      assert.ok(answer.status === status || (answer.status === 422 && status === 400), answer.text);
    }
    const token = await tokenWith([{ effect: 'allow', actions: ['*'], resources: ['proj/other'] }]);
    assert.equal((await copy(base, token)).status, 403);
    assert.equal((await call('compare?from=staging&to=production', { token })).status, 403);
  });
});
