// Bad uploads of code scanning, and callers who may not: refused with what to do about it, and nothing leaks.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { isPlanned, schedule } from '../../../../src/kernel/jobs/due-store.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import {
  alertStates,
  analyze,
  packed,
  resultOf,
  runOf,
  sarifOf,
  statusOf,
  uploadBytes,
  uploadPacked,
  type UploadPlace,
} from './scanning-calls.ts';

let server: TestServer;
let receiver: WebhookReceiver;
let ada: HostPerson;
let bob: HostPerson;
let place: UploadPlace;

before(async () => {
  server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
  receiver = await openReceiver();
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
  place = await newPlace('demo');
});
after(async () => {
  await server.stop();
  await receiver.close();
});

async function newPlace(name: string, fields: Json = {}): Promise<UploadPlace> {
  await ada.repository(name, { auto_init: true, ...fields });
  const { json } = await ada.get(`/repos/ada/${name}/git/ref/heads/main`);
  return { person: ada, at: `/repos/ada/${name}`, sha: json['object'].sha as string };
}

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('a document that breaks a rule fails the upload, and says what to do', async () => {
  const run = runOf([{ hash: 'one' }]);
  const withResult = (more: Json) => ({ ...run, results: [{ ...resultOf({}), ...more }] });
  const rule = (more: Json) => ({
    ...run,
    tool: { driver: { name: 'Linter', rules: [{ id: 'a', ...more }] } },
  });
  const good = gzipSync(JSON.stringify(sarifOf([run])));
  const wrongLength = Buffer.from(good);
  wrongLength.writeUInt32LE(7, wrongLength.length - 4);
  const wrongChecksum = Buffer.from(good);
  wrongChecksum.writeUInt32LE(7, wrongChecksum.length - 8);
  const location = { physicalLocation: { artifactLocation: { uri: 'a.js' } } };
  const cases: [what: string, sarif: string, told: RegExp][] = [
    ['a bomb', gzipSync(Buffer.alloc(80 * 1024 * 1024, 32)).toString('base64'), /more than 67108864 bytes/],
    ['gzip in gzip', gzipSync(good).toString('base64'), /compressed twice/],
    ['a wrong length', wrongLength.toString('base64'), /cannot be inflated/],
    ['a wrong checksum', wrongChecksum.toString('base64'), /cannot be inflated/],
    ['half a file', good.subarray(0, good.length / 2).toString('base64'), /cannot be inflated/],
    ['deep nesting', packed('['.repeat(50_000) + ']'.repeat(50_000)), /nested deeper than 100/],
    ['no JSON', packed('{"version": nope}'), /not JSON: line 1, column 13/],
    ['no UTF-8', gzipSync(Buffer.from([0x22, 0xff, 0x22])).toString('base64'), /not UTF-8/],
    ['no object', packed('[]'), /version of the document must be "2.1.0"/],
    ['another version', packed({ version: '2.0.0', runs: [run] }), /must be "2.1.0"/],
    ['no runs', packed(sarifOf([])), /array of runs/],
    ['many runs', packed(sarifOf(many(21, run))), /21 runs; the limit is 20/],
    ['runs of one category', packed(sarifOf([run, run])), /Two runs are of the tool Linter/],
    ['no tool', packed(sarifOf([{ results: [] }])), /tool.driver.name is required/],
    ['results of a wrong type', packed(sarifOf([{ ...run, results: 'none' }])), /results must be an array/],
    [
      'many results',
      packed(sarifOf([{ ...run, results: many(25_001, {}) }])),
      /25001 results; the limit is 25000/,
    ],
    [
      'no rule',
      packed(sarifOf([{ ...run, results: [{ message: { text: 'x' } }] }])),
      /results\[0\] has no ruleId/,
    ],
    ['no message', packed(sarifOf([withResult({ message: {} })])), /has no message.text/],
    ['an unknown level', packed(sarifOf([withResult({ level: 'awful' })])), /unknown level/],
    ['many locations', packed(sarifOf([withResult({ locations: many(1001, location) })])), /1001 locations/],
    [
      'many flow locations',
      packed(sarifOf([withResult({ codeFlows: [{ threadFlows: many(2, { locations: many(5001, {}) }) }] })])),
      /10002 thread flow locations/,
    ],
    ['many tags', packed(sarifOf([rule({ properties: { tags: many(21, 'x') } })])), /21 tags/],
    [
      'many rules',
      packed(sarifOf([{ tool: { driver: { name: 'L', rules: many(25_001, {}) } } }])),
      /25001 rules/,
    ],
    [
      'many extensions',
      packed(sarifOf([{ tool: { driver: { name: 'L' }, extensions: many(101, { name: 'e' }) } }])),
      /101 tool extensions/,
    ],
  ];
  for (const [what, sarif, told] of cases) {
    const status = await uploadPacked(place, sarif);
    assert.equal(status['processing_status'], 'failed', what);
    assert.match(status['errors'].join(' '), told, what);
    assert.equal(status['analyses_url'], null);
  }
  assert.deepEqual(await alertStates(place), {});
  assert.equal((await ada.get(`${place.at}/code-scanning/analyses`)).text, '[]');
});

test('what is above what is kept is cut', async () => {
  const here = await newPlace('cut');
  const flows = [{ threadFlows: many(2, { locations: many(800, { importance: 'essential' }) }) }];
  const result: Json = { ...resultOf({ text: 'x'.repeat(50_000) }), codeFlows: flows };
  const run: Json = { ...runOf([]), results: [{ ...result, locations: many(200, result['locations'][0]) }] };
  run['tool'].driver.rules = [{ id: 'js/eval', properties: { tags: many(20, 'tag') } }];
  const status = await uploadPacked(here, packed(sarifOf([run])));
  assert.equal(status['processing_status'], 'complete', JSON.stringify(status));
  const { json: alert } = await ada.get(`${here.at}/code-scanning/alerts/1`);
  assert.equal(alert['rule'].tags.length, 10);
  assert.equal(alert['most_recent_instance'].message.text.length, 10_000);
  const [analysis] = (await ada.get(`${here.at}/code-scanning/analyses`)).json as unknown as Json[];
  const { json } = await ada.call(`${here.at}/code-scanning/analyses/${analysis!['id']}`, {
    headers: { accept: 'application/sarif+json' },
  });
  const [kept] = json['runs'][0].results as Json[];
  assert.equal(kept!['locations'].length, 100);
  const [flow] = kept!['codeFlows'] as Json[];
  assert.deepEqual(
    flow!['threadFlows'].map((thread: Json) => thread['locations'].length),
    [800, 200],
  );
  assert.equal(json['runs'][0].tool.driver.rules[0].properties.tags.length, 10);
});

test('addresses outside of the repository are not shown, and hostile texts do no harm', async () => {
  const here = await newPlace('hostile');
  const uris = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    '../../etc/passwd',
    'a/%2e%2e/%2e%2e/b',
    'nul\u0000.js',
    'https://example.com/x.js',
    'x'.repeat(5000),
    '/absolute.js',
  ];
  const good = ['./a/../src/x.js', 'file:///work/src/x.js', 'src%2Fx.js', 'src\\x.js'];
  const results = [...uris, ...good].map((path, at) =>
    resultOf({ path, hash: `h${at}`, text: `t\u0000\u2028\u2029 ${at}` }),
  );
  const document: Json = { ...runOf([]), results };
  document['tool'].driver.rules = [{ id: 'js/eval', helpUri: 'javascript:alert(1)' }];
  const status = await uploadPacked(here, packed(sarifOf([document])), { checkout_uri: 'file:///work/' });
  assert.equal(status['processing_status'], 'complete', JSON.stringify(status));
  const { json } = await ada.get(`${here.at}/code-scanning/alerts?direction=asc&per_page=100`);
  const alerts = json as unknown as Json[];
  assert.deepEqual(
    alerts.map((alert) => alert['most_recent_instance'].location.path),
    [...uris.map(() => ''), ...good.map(() => 'src/x.js')],
  );
  assert.equal(alerts[0]!['rule'].help_uri, null);
  const [analysis] = (await ada.get(`${here.at}/code-scanning/analyses`)).json as unknown as Json[];
  const kept = await ada.call(`${here.at}/code-scanning/analyses/${analysis!['id']}`, {
    headers: { accept: 'application/sarif+json' },
  });
  assert.deepEqual(
    kept.json['runs'][0].results.map(({ message }: Json) => message.text),
    results.map(({ message }) => message.text),
  );
});

test('a request that breaks a rule is refused at once', async () => {
  const sarif = packed(sarifOf([runOf([])]));
  const send = (more: Json) => uploadBytes(place, sarif, more);
  assert.equal((await send({ extra: 1 })).status, 422);
  assert.equal((await send({ ref: 'main' })).status, 422);
  assert.equal((await send({ ref: 'refs/heads/a..b' })).status, 422);
  assert.equal((await send({ commit_sha: 'abc' })).status, 422);
  assert.equal((await send({ sarif: 7 })).status, 422);
  const unknown = await send({ commit_sha: 'a'.repeat(40) });
  assert.deepEqual([unknown.status, unknown.json['message']], [404, 'commit not found']);
  assert.equal((await send({ sarif: 'bm8gZ3ppcA==' })).status, 400);
  assert.equal((await send({ sarif: 'A'.repeat(14_100_000) })).status, 413);
  // More than other routes take.
  const large = Buffer.concat([gzipSync('[]'), Buffer.alloc(9 * 1024 * 1024)]);
  assert.equal((await send({ sarif: large.toString('base64') })).status, 202);
  const alerts = `${place.at}/code-scanning/alerts`;
  assert.equal((await ada.get(`${alerts}/999`)).status, 404);
  assert.equal((await ada.get(`${alerts}?state=nice`)).status, 422);
  assert.equal((await ada.get(`${place.at}/code-scanning/analyses/999`)).status, 404);
  assert.equal((await ada.delete(`${place.at}/code-scanning/analyses/999`)).status, 404);
  assert.equal((await ada.get(`${place.at}/code-scanning/sarifs/none`)).status, 404);
  assert.equal((await ada.put(alerts)).status, 404);
});

test('a dismissal needs a reason, and an alert that is not fixed', async () => {
  const here = await newPlace('dismissals');
  await analyze(here, [{ hash: 'one' }]);
  const alert = `${here.at}/code-scanning/alerts/1`;
  assert.equal((await ada.patch(alert, { state: 'dismissed' })).status, 422);
  assert.equal((await ada.patch(alert, { state: 'dismissed', dismissed_reason: 'boring' })).status, 422);
  assert.equal((await ada.patch(alert, { state: 'fixed' })).status, 422);
  const mitigated = await ada.patch(alert, { state: 'dismissed', dismissed_reason: 'mitigated' });
  assert.equal(mitigated.json['dismissed_reason'], 'mitigated', mitigated.text);
  assert.equal((await ada.patch(alert, { state: 'open' })).status, 200);
  await analyze(here, []);
  const { status, json } = await ada.patch(alert, { state: 'dismissed', dismissed_reason: 'used in tests' });
  assert.equal(status, 400, json['message']);
});

test('those who may not write see and change nothing', async () => {
  const hidden = await newPlace('hidden', { private: true });
  await analyze(hidden, [{ hash: 'one' }]);
  const shown = await newPlace('shown');
  await analyze(shown, [{ hash: 'one' }]);
  const sarif = packed(sarifOf([runOf([])]));
  const paths = ['/alerts', '/alerts/1', '/alerts/1/instances', '/analyses', '/analyses/1', '/sarifs/x'];
  for (const [at, status] of [
    [hidden.at, 404],
    [shown.at, 403],
  ] as const) {
    for (const path of paths)
      assert.equal((await bob.get(`${at}/code-scanning${path}`)).status, status, path);
    assert.equal((await uploadBytes({ ...shown, at, person: bob }, sarif)).status, status);
    assert.equal((await bob.patch(`${at}/code-scanning/alerts/1`, { state: 'open' })).status, status);
    assert.equal((await bob.patch(`${at}/code-scanning/alerts/1`, { state: 7 })).status, status);
    assert.equal((await bob.delete(`${at}/code-scanning/analyses/1`)).status, status);
    assert.equal((await server.call(`${at}/code-scanning/alerts`, { token: null })).status, 401);
  }
  // Another repository's numbers lead nowhere.
  const [own] = (await ada.get(`${hidden.at}/code-scanning/analyses`)).json as unknown as Json[];
  assert.equal((await ada.get(`${shown.at}/code-scanning/analyses/${own!['id']}`)).status, 404);
  assert.equal((await ada.get(`${shown.at}/code-scanning/sarifs/${own!['sarif_id']}`)).status, 404);
  await ada.patch(shown.at, { archived: true });
  assert.equal((await ada.get(`${shown.at}/code-scanning/alerts`)).status, 200);
  assert.equal((await uploadBytes(shown, sarif)).status, 403);
});

test('webhooks are told what becomes of alerts', async () => {
  const here = await newPlace('told');
  await ada.post(`${here.at}/hooks`, {
    config: { url: `${receiver.url}/told`, content_type: 'json' },
    events: ['code_scanning_alert'],
  });
  const one = { hash: 'one' };
  await analyze(here, [one]);
  await analyze({ ...here, ref: 'refs/heads/topic' }, [one]);
  await analyze(here, []);
  await analyze(here, [one]);
  const alert = `${here.at}/code-scanning/alerts/1`;
  await ada.patch(alert, { state: 'dismissed', dismissed_reason: 'false positive' });
  await ada.patch(alert, { state: 'open' });
  const expected = [
    'created',
    'appeared_in_branch',
    'fixed',
    'reopened',
    'closed_by_user',
    'reopened_by_user',
  ];
  const told = () =>
    receiver.at('/told').filter(({ headers }) => headers['x-github-event'] === 'code_scanning_alert');
  await eventually(() => told().length >= expected.length, 'all events');
  // They come in no particular order.
  const byAction = new Map(told().map(({ json }) => [json['action'] as string, json]));
  assert.deepEqual([told().length, new Set(byAction.keys())], [expected.length, new Set(expected)]);
  for (const json of byAction.values()) checkWebhookPayload('code_scanning_alert', json);
  assert.equal(byAction.get('created')!['ref'], 'refs/heads/main');
  assert.equal(byAction.get('created')!['commit_oid'], here.sha);
  assert.equal(byAction.get('closed_by_user')!['alert'].dismissed_by.login, 'ada');
});

test('what a crash has left of an upload is deleted, and the upload is processed again', async () => {
  const here = await newPlace('interrupted');
  const { db, blobs, clock } = server.app.kernel;
  const id = await analyze(here, [{ hash: 'one' }]);
  const { number, repository_number: repository } = await db
    .selectFrom('code_scanning_uploads')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // It goes on after the upload is complete: its document is deleted, and another upload is looked for.
  await eventually(async () => !(await isPlanned(db, `host.process-sarif:${repository}`)), 'its end');
  // As if the server had ended after some of the results were written.
  const gzip = gzipSync(JSON.stringify(sarifOf([runOf([{ hash: 'one' }, { hash: 'two' }])])));
  await blobs.put(`host-sarif/${id}`, gzip);
  await db.updateTable('code_scanning_uploads').set({ status: 'pending' }).where('id', '=', id).execute();
  await db
    .updateTable('code_scanning_analyses')
    .set({ is_ready: 0, is_newest: 0 })
    .where('upload_number', '=', number)
    .execute();
  await db.transaction().execute(async (tx) => {
    const kind = 'host.process-sarif';
    const work = { id: `${kind}:${repository}`, kind, payload: String(repository), dueAt: clock.now() };
    await schedule(tx, work, clock.now());
  });
  assert.equal((await statusOf(here, id))['processing_status'], 'complete');
  assert.deepEqual(await alertStates(here), { 1: 'open', 2: 'open' });
  const analyses = (await ada.get(`${here.at}/code-scanning/analyses`)).json as unknown as Json[];
  assert.deepEqual(
    analyses.map((analysis) => analysis['results_count']),
    [2],
  );
  await eventually(async () => (await blobs.get(`host-sarif/${id}`)) === undefined, 'the upload is gone');
});

test('a deletion that a crash has interrupted is finished, before the next one begins', async () => {
  const here = await newPlace('interrupted-deletion');
  const { db } = server.app.kernel;
  await analyze(here, [{ hash: 'one' }, { hash: 'two' }]);
  await analyze(here, [{ hash: 'two' }, { hash: 'three' }]);
  await analyze(here, [{ hash: 'four' }]);
  const list = async () =>
    (await ada.get(`${here.at}/code-scanning/analyses`)).json as unknown as { id: number }[];
  const [newest, middle, oldest] = await list();
  // As if the server had ended after the first transaction, and its work were not due so soon.
  await db
    .updateTable('code_scanning_analyses')
    .set({ is_ready: 0, is_newest: 0, restored: 0 })
    .where('number', '=', newest!.id)
    .execute();
  await db
    .updateTable('code_scanning_analyses')
    .set({ is_newest: 1 })
    .where('number', '=', middle!.id)
    .execute();
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [middle!.id, oldest!.id],
  );
  const remove = (id: number) => ada.delete(`${here.at}/code-scanning/analyses/${id}`);
  assert.equal((await remove(newest!.id)).status, 404);
  assert.deepEqual(await alertStates(here), { 1: 'fixed', 2: 'open', 3: 'open' });
  const { json } = await remove(middle!.id);
  assert.ok(json['next_analysis_url'].endsWith(`/analyses/${oldest!.id}`));
  assert.deepEqual(await alertStates(here), { 1: 'open', 2: 'open' });
});

test('eight clients that delete the same analysis at once delete it once', async () => {
  const here = await newPlace('contested');
  await analyze(here, [{ hash: 'one' }]);
  await analyze(here, [{ hash: 'two' }]);
  const { json } = await ada.get(`${here.at}/code-scanning/analyses`);
  const path = `${here.at}/code-scanning/analyses/${(json as unknown as Json[])[0]!['id']}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => ada.delete(path)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, ...many(7, 404)],
  );
  assert.deepEqual(await alertStates(here), { 1: 'open' });
});
