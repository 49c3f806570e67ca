// JSON patches and merge patches of flags over HTTP, and what holds for every kind of patch.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { assertRefused, flagCalls, SEMANTIC } from './feature-flag-calls.ts';

let server: TestServer;
let flags: ReturnType<typeof flagCalls>;
let number = 0;

before(async () => {
  server = await startServer();
  flags = flagCalls(server);
});
after(() => server.stop());

/** Creates a flag, with three variations unless given. */
async function fresh(fields: Json = { variations: [{ value: 'a' }, { value: 'b' }, { value: 'c' }] }) {
  number += 1;
  return await flags.make(`flag-${number}`, fields);
}

async function lastEvent(): Promise<Json> {
  const { db } = server.app.kernel;
  const event = await db
    .selectFrom('events')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return {
    ...event,
    before: JSON.parse(event.before ?? 'null'),
    after: JSON.parse(event.after ?? 'null'),
    detail: JSON.parse(event.detail ?? 'null'),
    accesses: JSON.parse(event.accesses ?? 'null'),
  };
}

/** Patches, and fails unless the patch was refused and the flag is unchanged. */
async function refuse(key: string, body: unknown, status: number, code: string, message?: RegExp) {
  const old = await flags.get(key);
  assertRefused(await flags.patch(key, body), status, code, message);
  assert.deepEqual(await flags.get(key), old);
}

describe('JSON patch', () => {
  test('a client that writes fallthough means fallthrough', async () => {
    const { key } = await fresh();
    const at = '/environments/test/fallthough';
    const whole = await flags.patch(key, [{ op: 'replace', path: at, value: { variation: 2 } }]);
    assert.equal(whole.status, 200, whole.text);
    const { fallthrough, fallthough } = whole.json['environments'].test;
    assert.deepEqual([fallthrough, fallthough], [{ variation: 2 }, undefined]);
    const part = await flags.patch(key, [{ op: 'replace', path: `${at}/variation`, value: 1 }]);
    assert.deepEqual(part.json['environments'].test.fallthrough, { variation: 1 });
    await refuse(key, [{ op: 'replace', path: '/fallthough', value: {} }], 422, 'patch_failed');
    await refuse(
      key,
      [{ op: 'replace', path: '/environments/test/fallthoughs', value: {} }],
      422,
      'patch_failed',
    );
  });

  test('a custom property whose key has a slash is refused as a key that cannot be', async () => {
    const { key } = await fresh();
    const property = { name: 'Ticket', value: ['A-1'] };
    const words = /customProperties cannot have the key "jira\/issue": keys must match/;
    const add = [{ op: 'add', path: '/customProperties/jira~1issue', value: property }];
    await refuse(key, add, 400, 'invalid_request', words);
    await refuse(key, { customProperties: { 'jira/issue': property } }, 400, 'invalid_request', words);
    const customProperties = { 'jira/issue': property };
    const posted = await server.call('/api/v2/flags/default', {
      method: 'POST',
      body: { key: 'slash', name: 'Slash', customProperties },
    });
    assertRefused(posted, 400, 'invalid_request', words);
    const good = [{ op: 'add', path: '/customProperties/jira.issue', value: property }];
    assert.deepEqual((await flags.patch(key, good)).json['customProperties'], { 'jira.issue': property });
  });

  test('F14: several operations are one change, all or nothing', async () => {
    const { key } = await fresh();
    const answer = await flags.patch(key, [
      { op: 'replace', path: '/name', value: 'New name' },
      { op: 'replace', path: '/description', value: 'Words' },
      { op: 'add', path: '/tags/-', value: 'fresh' },
      { op: 'replace', path: '/temporary', value: false },
      { op: 'replace', path: '/environments/test/on', value: true },
    ]);
    assert.equal(answer.status, 200, answer.text);
    const { name, description, tags, temporary, version, environments } = answer.json;
    assert.deepEqual(
      [name, description, tags, temporary, version],
      ['New name', 'Words', ['fresh'], false, 2],
    );
    assert.deepEqual([environments.test.on, environments.test.version], [true, 2]);
    assert.deepEqual([environments.production.on, environments.production.version], [false, 1]);
    assert.deepEqual(await flags.get(key), answer.json);
    await refuse(
      key,
      [
        { op: 'replace', path: '/name', value: 'Half done' },
        { op: 'replace', path: '/nothing/here', value: 1 },
      ],
      422,
      'patch_failed',
    );
  });

  test('F23: a test of a version makes the change conditional', async () => {
    const { key } = await fresh();
    for (const path of ['/version', '/_version', '/environments/test/version']) {
      await refuse(
        key,
        [
          { op: 'test', path, value: 99 },
          { op: 'replace', path: '/name', value: 'Unseen' },
        ],
        409,
        'optimistic_locking_error',
      );
    }
    const answer = await flags.patch(key, [
      { op: 'test', path: '/version', value: 1 },
      { op: 'test', path: '/_version', value: 1 },
      { op: 'test', path: '/environments/test/version', value: 1 },
      { op: 'replace', path: '/name', value: 'Seen' },
    ]);
    assert.equal(answer.json.name, 'Seen');
  });

  test('F7: what begins with an underscore cannot be edited', async () => {
    const { key, variations } = await fresh();
    for (const operation of [
      { op: 'replace', path: '/_version', value: 5 },
      { op: 'remove', path: '/_links' },
      { op: 'replace', path: '/environments/test/_environmentName', value: 'x' },
      { op: 'replace', path: '/variations/0/_id', value: 'x' },
      { op: 'add', path: '/_new', value: 1 },
      { op: 'replace', path: '/variations/0', value: { ...variations[0], _id: 'other' } },
    ])
      await refuse(key, [operation], 400, 'invalid_request', /cannot be (edited|changed)/);
  });

  for (const [path, value, message] of [
    ['/key', 'other', /key cannot be changed/],
    ['/creationDate', 1, /creationDate cannot be changed/],
    ['/version', 7, /version cannot be changed/],
    ['/kind', 'boolean', /kind cannot be changed/],
    ['/archivedDate', 1, /archivedDate cannot be changed/],
    ['/environments/test/salt', 'ab', /salt cannot be (changed|modified)/],
    ['/environments/test/sel', 'ab', /sel cannot be changed/],
    ['/environments/test/version', 5, /version cannot be changed/],
    ['/environments/test/lastModified', 5, /lastModified cannot be changed/],
    ['/environments/test/archived', true, /archived cannot be changed/],
    ['/environments/nowhere', { on: true }, /nowhere is no environment/],
    ['/unheard', 1, /unheard cannot be changed/],
    ['/environments/test/unheard', 1, /unheard cannot be changed/],
  ] as const) {
    test(`${path} cannot be edited`, async () => {
      const { key } = await fresh();
      await refuse(key, [{ op: 'add', path, value }], 400, 'invalid_request', message);
    });
  }

  test('an environment cannot be removed', async () => {
    const { key } = await fresh();
    await refuse(key, [{ op: 'remove', path: '/environments/test' }], 400, 'invalid_request');
    await refuse(key, [{ op: 'remove', path: '/environments' }], 400, 'invalid_request');
  });

  test('removing an optional member that is not there does nothing, and replacing it sets it', async () => {
    const { key } = await fresh();
    for (const path of [
      '/maintainerTeamKey',
      '/releasePipelineKey',
      '/environments/test/migrationSettings',
      '/variations/0/name',
      '/customProperties/none',
    ]) {
      const answer = await flags.patch(key, [{ op: 'remove', path }]);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.version, 1);
    }
    const answer = await flags.patch(key, [
      { op: 'remove', path: '/environments/test/offVariation' },
      { op: 'remove', path: '/maintainerId' },
      { op: 'replace', path: '/variations/0/name', value: 'A' },
    ]);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.maintainerId, undefined);
    assert.equal(answer.json._maintainer, undefined);
    assert.equal(answer.json.environments.test.offVariation, undefined);
    const back = await flags.patch(key, [
      { op: 'replace', path: '/environments/test/offVariation', value: 2 },
    ]);
    assert.equal(back.json.environments.test.offVariation, 2);
  });

  test('all that clients write in an environment can be written', async () => {
    const { key } = await fresh();
    const at = '/environments/production';
    const answer = await flags.patch(key, [
      { op: 'replace', path: `${at}/on`, value: true },
      { op: 'add', path: `${at}/targets/-`, value: { values: ['ada'], variation: 1 } },
      { op: 'add', path: `${at}/targets/0/values/-`, value: 'bob' },
      {
        op: 'replace',
        path: `${at}/contextTargets`,
        value: [{ contextKind: 'org', values: ['acme'], variation: 0 }],
      },
      {
        op: 'replace',
        path: `${at}/rules`,
        value: [
          {
            clauses: [{ attribute: 'plan', op: 'in', values: ['pro'], negate: true, contextKind: 'org' }],
            rollout: {
              variations: [
                { variation: 0, weight: 40_000 },
                { variation: 1, weight: 60_000 },
              ],
              bucketBy: 'key',
            },
          },
        ],
      },
      { op: 'replace', path: `${at}/fallthrough`, value: { variation: 2 } },
      { op: 'replace', path: `${at}/offVariation`, value: 0 },
      { op: 'replace', path: `${at}/trackEvents`, value: true },
    ]);
    assert.equal(answer.status, 200, answer.text);
    const config = answer.json.environments.production;
    assert.deepEqual(config.targets, [{ values: ['ada', 'bob'], variation: 1, contextKind: 'user' }]);
    // The empty list keeps the position of the users' list.
    assert.deepEqual(config.contextTargets, [
      { values: ['acme'], variation: 0, contextKind: 'org' },
      { values: [], variation: 1, contextKind: 'user' },
    ]);
    const [rule] = config.rules;
    assert.match(rule._id, /^[0-9a-f-]{36}$/);
    assert.match(rule.clauses[0]._id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(config._summary.variations[1], {
      rules: 1,
      nullRules: 0,
      targets: 2,
      contextTargets: 0,
    });
    const again = await flags.patch(key, [
      {
        op: 'replace',
        path: `${at}/rules`,
        value: [{ rollout: rule.rollout, clauses: [{ ...rule.clauses[0], _id: undefined }] }],
      },
    ]);
    assert.equal(again.json.version, answer.json.version, 'the same rules again change nothing');
    const copied = await flags.patch(key, [
      { op: 'copy', from: `${at}/rules`, path: '/environments/test/rules' },
    ]);
    assert.deepEqual(copied.json.environments.test.rules, config.rules);
  });

  const RULE = { clauses: [{ attribute: 'a', op: 'in', values: ['x'] }], variation: 0 };
  const at = '/environments/test';
  for (const [what, operation] of [
    ['an index beyond the variations', { op: 'replace', path: `${at}/offVariation`, value: 3 }],
    ['a negative index', { op: 'replace', path: `${at}/fallthrough`, value: { variation: -1 } }],
    ['nothing to serve', { op: 'replace', path: `${at}/fallthrough`, value: {} }],
    [
      'a variation and a rollout',
      {
        op: 'replace',
        path: `${at}/fallthrough`,
        value: { variation: 0, rollout: { variations: [{ variation: 0, weight: 100_000 }] } },
      },
    ],
    [
      'weights that do not make a whole',
      {
        op: 'replace',
        path: `${at}/fallthrough`,
        value: { rollout: { variations: [{ variation: 0, weight: 99_999 }] } },
      },
    ],
    [
      'an unknown operator',
      { op: 'add', path: `${at}/rules/-`, value: { ...RULE, clauses: [{ ...RULE.clauses[0], op: 'like' }] } },
    ],
    ['a rule without clauses', { op: 'add', path: `${at}/rules/-`, value: { ...RULE, clauses: [] } }],
    ['a rule that serves nothing', { op: 'add', path: `${at}/rules/-`, value: { clauses: RULE.clauses } }],
    ['a misspelled member', { op: 'add', path: `${at}/rules/-`, value: { ...RULE, varation: 1 } }],
    [
      'a key in two variations',
      {
        op: 'replace',
        path: `${at}/targets`,
        value: [
          { values: ['ada'], variation: 0 },
          { values: ['ada'], variation: 1 },
        ],
      },
    ],
    [
      'a context kind that is none',
      {
        op: 'replace',
        path: `${at}/contextTargets`,
        value: [{ values: ['x'], variation: 0, contextKind: 'multi' }],
      },
    ],
    [
      'a flag that needs itself',
      { op: 'replace', path: `${at}/prerequisites`, value: [{ key: 'SELF', variation: 0 }] },
    ],
    [
      'a flag that needs none',
      { op: 'replace', path: `${at}/prerequisites`, value: [{ key: 'unknown', variation: 0 }] },
    ],
    ['on that is no boolean', { op: 'replace', path: `${at}/on`, value: 'yes' }],
    ['a name that is no text', { op: 'replace', path: '/name', value: 5 }],
    ['no name', { op: 'replace', path: '/name', value: '' }],
    ['a bad tag', { op: 'add', path: '/tags/-', value: 'two words' }],
    ['one variation', { op: 'replace', path: '/variations', value: [{ value: 1 }] }],
    ['two equal variations', { op: 'add', path: '/variations/-', value: { value: 'a' } }],
    [
      'defaults beyond the variations',
      { op: 'replace', path: '/defaults', value: { onVariation: 0, offVariation: 9 } },
    ],
    ['an unknown maintainer', { op: 'replace', path: '/maintainerId', value: '000000000000000000000000' }],
    ['a bad maintainer', { op: 'replace', path: '/maintainerId', value: 'x\0y' }],
    ['an unknown team', { op: 'replace', path: '/maintainerTeamKey', value: 'nobody' }],
    ['a bad custom property', { op: 'add', path: '/customProperties/x', value: { name: 'x' } }],
  ] as const) {
    test(`${what} is refused`, async () => {
      const { key } = await fresh();
      const body = JSON.parse(JSON.stringify([operation]).replace('SELF', key)) as unknown;
      await refuse(key, body, 400, 'invalid_request');
    });
  }

  test('variations can be added, changed in place, and removed where nothing speaks of them', async () => {
    const { key, variations } = await fresh();
    const added = await flags.patch(key, [
      { op: 'add', path: '/variations/-', value: { value: 'd', name: 'D' } },
      { op: 'replace', path: '/variations/1/value', value: 'bb' },
    ]);
    assert.equal(added.status, 200, added.text);
    assert.deepEqual(
      added.json.variations.map(({ value }: Json) => value),
      ['a', 'bb', 'c', 'd'],
    );
    assert.equal(added.json.variations[1]._id, variations[1]._id);
    const removed = await flags.patch(key, [{ op: 'remove', path: '/variations/3' }]);
    assert.equal(removed.json.variations.length, 3);
    // The last variation serves while off, the first while on; removing the one between moves the last.
    for (const index of [0, 1, 2])
      await refuse(key, [{ op: 'remove', path: `/variations/${index}` }], 400, 'invalid_request');
    await refuse(key, [{ op: 'move', from: '/variations/0', path: '/variations/2' }], 400, 'invalid_request');
    const told = await flags.patch(key, [
      { op: 'remove', path: '/variations/1' },
      { op: 'replace', path: '/defaults', value: { onVariation: 0, offVariation: 1 } },
      { op: 'replace', path: '/environments/test/offVariation', value: 1 },
      { op: 'replace', path: '/environments/production/offVariation', value: 1 },
    ]);
    assert.equal(told.status, 200, told.text);
    assert.deepEqual(
      told.json.variations.map(({ value }: Json) => value),
      ['a', 'c'],
    );
  });

  test('archiving and deprecating have a date, and restoring takes it away', async () => {
    const { key } = await fresh();
    const archived = await flags.patch(key, [
      { op: 'replace', path: '/archived', value: true },
      { op: 'replace', path: '/deprecated', value: true },
    ]);
    assert.equal(typeof archived.json.archivedDate, 'number');
    assert.equal(typeof archived.json.deprecatedDate, 'number');
    assert.equal(archived.json.environments.test.archived, true);
    const restored = await flags.patch(key, [
      { op: 'replace', path: '/archived', value: false },
      { op: 'remove', path: '/deprecated' },
    ]);
    assert.equal(restored.json.archivedDate, undefined);
    assert.equal(restored.json.deprecatedDate, undefined);
  });

  test('includeInSnippet is the older word for availability in browsers', async () => {
    const { key } = await fresh();
    const answer = await flags.patch(key, [{ op: 'replace', path: '/includeInSnippet', value: true }]);
    assert.equal(answer.json.clientSideAvailability.usingEnvironmentId, true);
    assert.equal((await flags.get(key)).includeInSnippet, true);
  });
});

describe('merge patch', () => {
  test('F15: the fields given change, also deep down, and null takes away', async () => {
    const { key } = await fresh();
    const answer = await flags.patch(key, {
      name: 'Merged',
      tags: ['m'],
      maintainerId: null,
      environments: { test: { on: true, offVariation: null } },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      [answer.json.name, answer.json.tags, answer.json.maintainerId],
      ['Merged', ['m'], undefined],
    );
    assert.equal(answer.json.environments.test.on, true);
    assert.equal(answer.json.environments.test.offVariation, undefined);
    await refuse(key, { key: 'other' }, 400, 'invalid_request', /key cannot be changed/);
    await refuse(key, { _version: 5 }, 400, 'invalid_request');
    await refuse(key, { name: null }, 400, 'invalid_request');
    await refuse(key, { environments: { test: null } }, 400, 'invalid_request');
  });

  test('F21: comments come in an envelope with either kind', async () => {
    const { key } = await fresh();
    await flags.patch(key, { comment: 'why', patch: [{ op: 'replace', path: '/name', value: 'One' }] });
    assert.equal((await lastEvent()).comment, 'why');
    await flags.patch(key, { comment: 'because', merge: { name: 'Two' } });
    const event = await lastEvent();
    assert.equal(event.comment, 'because');
    assert.deepEqual(event.detail.update, { merge: { name: 'Two' } });
    await flags.instruct(key, 'test', [{ kind: 'turnFlagOn' }], { comment: 'at last' });
    assert.equal((await lastEvent()).comment, 'at last');
  });
});

describe('every kind of patch', () => {
  test('F36: is written down: who, what, before and after', async () => {
    const { key } = await fresh();
    await flags.instruct(key, 'test', [{ kind: 'turnFlagOn' }]);
    const event = await lastEvent();
    assert.equal(event.kind, 'flag');
    assert.equal(event.name, key);
    assert.equal(event.detail.verb, 'turned on the flag');
    assert.equal(event.detail.description, '* Turned on the flag in **Test**');
    assert.deepEqual(event.detail.update, { instructions: [{ kind: 'turnFlagOn' }] });
    assert.deepEqual(event.accesses, [{ action: 'updateOn', resource: `proj/default:env/test:flag/${key}` }]);
    assert.equal(event.before.environments.test.on, false);
    assert.equal(event.after.environments.test.on, true);
    assert.equal(event.after.version, 2);
  });

  test('F19: what is in that state already is left as it is, without an entry', async () => {
    const { key } = await fresh();
    const { seq } = await lastEvent();
    const answers = [
      await flags.instruct(key, 'test', [{ kind: 'turnFlagOff' }]),
      await flags.patch(key, [{ op: 'replace', path: '/name', value: key }]),
      await flags.patch(key, { temporary: true }),
    ];
    for (const { status, json } of answers) assert.deepEqual([status, json.version], [200, 1]);
    assert.equal((await lastEvent()).seq, seq);
  });

  test('dryRun answers as if it were done, and keeps nothing', async () => {
    const { key } = await fresh();
    const { seq } = await lastEvent();
    const dry = `${flags.at(key)}?dryRun=true`;
    const answers = [
      await server.call(dry, { method: 'PATCH', body: { name: 'Dry' } }),
      await server.call(dry, {
        method: 'PATCH',
        headers: SEMANTIC,
        body: { instructions: [{ kind: 'updateName', value: 'Dry' }] },
      }),
    ];
    for (const { status, json } of answers)
      assert.deepEqual([status, json.name, json.version], [200, 'Dry', 2]);
    assert.equal((await flags.get(key)).name, key);
    assert.equal((await lastEvent()).seq, seq);
    const wrong = await server.call(dry, { method: 'PATCH', body: { variations: [] } });
    assertRefused(wrong, 400, 'invalid_request');
    const gone = await server.call(dry, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions: [{ kind: 'deleteFlag' }] },
    });
    assert.equal(gone.status, 200, gone.text);
    await flags.get(key);
  });

  test('of patches at the same time none is lost', async () => {
    const { key } = await fresh();
    const tags = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
    const answers = await Promise.all(
      tags.map((tag) => flags.instruct(key, undefined, [{ kind: 'addTags', values: [tag] }])),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const flag = await flags.get(key);
    assert.deepEqual(flag.tags, tags.toSorted());
    assert.equal(flag.version, 21);
  });

  test('F23: of two who saw the same version, one gets a conflict', async () => {
    const { key } = await fresh();
    const answers = await Promise.all(
      ['One', 'Two'].map((value) =>
        flags.patch(key, [
          { op: 'test', path: '/version', value: 1 },
          { op: 'replace', path: '/name', value },
        ]),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['200', '409']);
  });

  test('a semantic patch can delete the flag', async () => {
    const { key } = await fresh();
    const answer = await flags.instruct(key, undefined, [{ kind: 'deleteFlag' }]);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await server.call(flags.at(key))).status, 404);
    assert.equal((await lastEvent()).detail.verb, 'deleted the flag');
  });

  for (const [what, init, status, code] of [
    ['malformed JSON', { body: '{"name":' }, 400, 'invalid_request'],
    [
      'a content type of another kind',
      { body: '[]', headers: { 'content-type': 'text/plain' } },
      400,
      'invalid_request',
    ],
    ['text', { body: '"name"' }, 422, 'patch_failed'],
    ['instructions without the domain model', { body: { instructions: [] } }, 400, 'invalid_request'],
    ['no instructions', { body: { instructions: [] }, headers: SEMANTIC }, 422, 'patch_failed'],
    ['no operation', { body: [{ path: '/name', value: 'x' }] }, 422, 'patch_failed'],
    ['no token', { body: [], token: null }, 401, 'unauthorized'],
    ['too much', { body: `"${'x'.repeat(6 * 1024 * 1024)}"` }, 413, 'request_too_large'],
  ] as const) {
    test(`${what} is refused with ${status}`, async () => {
      const { key } = await fresh();
      const old = await flags.get(key);
      assertRefused(await server.call(flags.at(key), { method: 'PATCH', ...init }), status, code);
      assert.deepEqual(await flags.get(key), old);
    });
  }

  test('of an unknown flag is 404', async () => {
    assertRefused(await flags.patch('unknown', [{ op: 'remove', path: '/tags' }]), 404, 'not_found');
    assertRefused(await flags.patch('un known', [{ op: 'remove', path: '/tags' }]), 404, 'not_found');
    assertRefused(await flags.instruct('unknown', 'test', [{ kind: 'turnFlagOn' }]), 404, 'not_found');
  });
});
