// Flags, the audit log, webhooks and tags through the real `launchdarkly-api-typescript`, pointed here by its base path.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const { AuditLogApi, Configuration, FeatureFlagsApi, TagsApi, WebhooksApi } = createRequire(import.meta.url)(
  'launchdarkly-api-typescript',
) as typeof Ld;

const SEMANTIC = { headers: { 'Content-Type': 'application/json; domain-model=launchdarkly.semanticpatch' } };
const PROJECT = 'default';

let server: TestServer;
let flags: Ld.FeatureFlagsApi;
let auditLog: Ld.AuditLogApi;
let webhooks: Ld.WebhooksApi;
let tags: Ld.TagsApi;

before(async () => {
  server = await startServer({ limits: 'off' });
  const configuration = new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  flags = new FeatureFlagsApi(configuration);
  auditLog = new AuditLogApi(configuration);
  webhooks = new WebhooksApi(configuration);
  tags = new TagsApi(configuration);
});
after(() => server.stop());

async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number } },
  );
  return error.response.status;
}

/** A semantic patch, in the type that the client has for a patch with a comment. */
const instruct = (key: string, environmentKey: string, ...instructions: object[]) =>
  flags.patchFeatureFlag(
    PROJECT,
    key,
    { environmentKey, instructions, comment: 'by instruction' } as unknown as Ld.PatchWithComment,
    undefined,
    SEMANTIC,
  );

describe('a flag', () => {
  test('is made, read, changed by each kind of patch, and deleted', async () => {
    const made = await flags.postFeatureFlag(PROJECT, {
      key: 'banner',
      name: 'Banner',
      tags: ['web'],
      variations: [{ value: 'red' }, { value: 'blue', name: 'Blue' }, { value: 'none' }],
      defaults: { onVariation: 1, offVariation: 2 },
    });
    assert.equal(made.status, 201);
    assert.deepEqual(
      [made.data.kind, made.data._version, made.data.variations.length],
      ['multivariate', 1, 3],
    );
    assert.deepEqual(Object.keys(made.data.environments!).sort(), ['production', 'test']);

    const patched = await flags.patchFeatureFlag(PROJECT, 'banner', {
      comment: 'clearer',
      patch: [
        { op: 'test', path: '/version', value: 1 },
        { op: 'replace', path: '/name', value: 'The banner' },
        { op: 'replace', path: '/environments/test/on', value: true },
      ],
    });
    assert.deepEqual([patched.data.name, patched.data._version], ['The banner', 2]);
    assert.equal(patched.data.environments!['test']!.on, true);

    const merged = await flags.patchFeatureFlag(PROJECT, 'banner', {
      comment: 'told',
      merge: { description: 'Above the page' },
    } as unknown as Ld.PatchWithComment);
    assert.equal(merged.data.description, 'Above the page');

    const [red] = merged.data.variations;
    const instructed = await instruct(
      'banner',
      'production',
      { kind: 'turnFlagOn' },
      { kind: 'addTargets', contextKind: 'user', variationId: red!._id, values: ['ada', 'grace'] },
      {
        kind: 'addRule',
        variationId: red!._id,
        clauses: [{ contextKind: 'user', attribute: 'country', op: 'in', negate: false, values: ['de'] }],
      },
    );
    const production = instructed.data.environments!['production']!;
    assert.equal(production.on, true);
    assert.deepEqual(production.targets![0]!.values, ['ada', 'grace']);
    assert.equal(production.rules![0]!.clauses[0]!.attribute, 'country');

    const { data: read } = await flags.getFeatureFlag(PROJECT, 'banner', 'production');
    assert.deepEqual(Object.keys(read.environments!), ['production']);
    assert.deepEqual(read.environments!['production'], production);

    const stale = { patch: [{ op: 'test', path: '/version', value: 1 }] };
    assert.equal(await statusOf(flags.patchFeatureFlag(PROJECT, 'banner', stale)), 409);
    assert.equal(await statusOf(instruct('banner', 'production', { kind: 'flyAway' })), 422);

    assert.equal((await flags.deleteFeatureFlag(PROJECT, 'banner')).status, 204);
    assert.equal(await statusOf(flags.getFeatureFlag(PROJECT, 'banner')), 404);
  });

  test('is listed in pages, filtered and sorted, as a summary', async () => {
    for (let index = 0; index < 25; index += 1) {
      const number = String(index).padStart(2, '0');
      const body = {
        key: `listed-${number}`,
        name: `Listed ${24 - index}`,
        tags: index % 5 === 0 ? ['fifth'] : [],
      };
      await flags.postFeatureFlag(PROJECT, body);
    }
    const list = (limit: number, offset: number, filter: string, sort: string) =>
      flags.getFeatureFlags(PROJECT, undefined, undefined, limit, offset, undefined, undefined, filter, sort);
    const first = (await list(10, 0, 'query:listed', 'key')).data;
    assert.deepEqual([first.totalCount, first.items.length, first.items[0]!.key], [25, 10, 'listed-00']);
    assert.ok(first._links['next'] && first._links['last'] && !first._links['prev']);
    const last = (await list(10, 20, 'query:listed', '-key')).data;
    assert.deepEqual([last.items.length, last.items.at(-1)!.key], [5, 'listed-00']);
    assert.equal(last._links['next'], undefined);
    assert.equal((await list(10, 0, 'tags:fifth', 'creationDate')).data.totalCount, 5);
    assert.equal(first.items[0]!.environments, undefined);
    const { data: withEnvironment } = await flags.getFeatureFlags(PROJECT, 'test', 'fifth');
    assert.deepEqual(Object.keys(withEnvironment.items[0]!.environments!), ['test']);
    assert.equal(await statusOf(list(10, 0, 'colour:red', 'key')), 400);
  });

  test('is cloned, copied between environments, and tells its status and dependents', async () => {
    await flags.postFeatureFlag(PROJECT, { key: 'origin', name: 'Origin' });
    await instruct('origin', 'test', { kind: 'turnFlagOn' });
    const clone = await flags.postFeatureFlag(PROJECT, { key: 'copy', name: 'Copy' }, 'origin');
    assert.equal(clone.data.environments!['test']!.on, true);
    const copied = await flags.copyFeatureFlag(PROJECT, 'origin', {
      source: { key: 'test' },
      target: { key: 'production' },
      includedActions: ['updateOn'],
    });
    assert.equal(copied.data.environments!['production']!.on, true);
    const status = await flags.getFeatureFlagStatus(PROJECT, 'test', 'origin');
    assert.equal(status.data.name, 'new');
    const { data } = await flags.getFeatureFlag(PROJECT, 'origin');
    await instruct('copy', 'test', {
      kind: 'addPrerequisite',
      key: 'origin',
      variationId: data.variations[0]!._id,
    });
    assert.equal(await statusOf(flags.deleteFeatureFlag(PROJECT, 'origin')), 409);
  });
});

test('F22 F36: the audit log tells every change with its comment, found by words and by resource', async () => {
  await flags.postFeatureFlag(PROJECT, { key: 'whisper', name: 'Whisper' });
  await instruct('whisper', 'test', { kind: 'turnFlagOn' });
  const { data: found } = await auditLog.getAuditLogEntries(undefined, undefined, 'whisper', 20);
  assert.equal(found.items.length, 2);
  assert.equal(found.items[0]!.comment, 'by instruction');
  assert.match(found.items[0]!.titleVerb!, /turned on/);
  const spec = `proj/${PROJECT}:env/test:flag/whisper`;
  const { data: filed } = await auditLog.getAuditLogEntries(undefined, undefined, undefined, 1, spec);
  assert.equal(filed.items[0]!._id, found.items[0]!._id);
  const { data: entry } = await auditLog.getAuditLogEntry(found.items[0]!._id);
  assert.equal(entry.accesses[0]!.action, 'updateOn');
  const statements = [
    { effect: 'allow' as const, actions: ['createFlag'], resources: ['proj/*:env/*:flag/whisper'] },
  ];
  const { data: by } = await auditLog.postAuditLogEntries(undefined, undefined, undefined, 20, statements);
  assert.deepEqual(
    by.items.map(({ name }) => name),
    ['Whisper'],
  );
});

test('a webhook is made, listed, read, changed and deleted', async () => {
  const made = await webhooks.postWebhook({
    url: 'https://example.com/hook',
    sign: true,
    on: false,
    name: 'ops',
  });
  assert.equal(made.status, 200);
  const id = made.data._id;
  assert.ok(made.data.secret);
  assert.ok((await webhooks.getAllWebhooks()).data.items.some(({ _id }) => _id === id));
  const patched = await webhooks.patchWebhook(id, [{ op: 'replace', path: '/name', value: 'alarm' }]);
  assert.equal(patched.data.name, 'alarm');
  assert.equal((await webhooks.getWebhook(id)).data.name, 'alarm');
  assert.equal((await webhooks.deleteWebhook(id)).status, 204);
  assert.equal(await statusOf(webhooks.getWebhook(id)), 404);
});

test('tags in use are listed', async () => {
  await flags.postFeatureFlag(PROJECT, { key: 'tagged', name: 'Tagged', tags: ['zebra', 'zoo'] });
  const { data } = await tags.getTags(['flag'], 'z');
  assert.deepEqual(data.items, ['zebra', 'zoo']);
});
