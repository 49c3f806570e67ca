// Limits of code scanning: what a token's policy allows, how many uploads an hour, and how much a document may take.
import assert from 'node:assert/strict';
import { SarifReader } from '../../../../src/host/code-scanning/sarif/sarif-client.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import {
  alertStates,
  analyze,
  packed,
  resultOf,
  runOf,
  sarifOf,
  uploadBytes,
  uploadPacked,
  type UploadPlace,
} from './scanning-calls.ts';

let server: TestServer;
let ada: HostPerson;
let place: UploadPlace;

const UPLOADS = 6;

before(async () => {
  server = await startServer({
    limit: { 'host.code_scanning_upload': { known: UPLOADS, anonymous: 0, seconds: 600 } },
  });
  ada = await joinHost(server, 'ada');
  await ada.repository('demo', { auto_init: true });
  const { json } = await ada.get('/repos/ada/demo/git/ref/heads/main');
  place = { person: ada, at: '/repos/ada/demo', sha: json['object'].sha as string };
});
after(() => server.stop());

/** Ada with a token that may do less. */
async function withPolicy(actions: string[], resources: string[]): Promise<UploadPlace> {
  const inlinePolicy = [{ effect: 'allow' as const, actions, resources }];
  const { value: token } = await giveToken(server, ada.member, { inlinePolicy });
  const send = (method: string) => (path: string, body?: unknown) =>
    server.call(path, { method, token, ...(body !== undefined && { body }) });
  return { ...place, person: { ...ada, get: send('GET'), post: send('POST'), patch: send('PATCH') } };
}

const EMPTY = packed(sarifOf([runOf([])]));

test('a token does to alerts what its policy names, in the repositories that it names', async () => {
  await analyze(place, [{ hash: 'one' }]);
  const alert = `${place.at}/code-scanning/alerts/1`;
  const dismissal = { state: 'dismissed', dismissed_reason: 'false positive' };
  const reader = await withPolicy(['viewRepository', 'viewCodeScanning'], ['repo/ada/demo']);
  assert.equal((await reader.person.get(alert)).status, 200);
  assert.equal((await reader.person.patch(alert, dismissal)).status, 403);
  assert.equal((await uploadBytes(reader, EMPTY)).status, 403);
  const neither = await withPolicy(['viewRepository'], ['repo/ada/demo']);
  assert.equal((await neither.person.get(alert)).status, 403);
  const elsewhere = await withPolicy(['*'], ['repo/ada/other']);
  assert.ok([403, 404].includes((await elsewhere.person.get(alert)).status));
  assert.ok([403, 404].includes((await elsewhere.person.patch(alert, dismissal)).status));
  assert.deepEqual(await alertStates(place), { 1: 'open' });
  const writer = await withPolicy(['viewRepository', 'updateCodeScanning'], ['repo/ada/demo']);
  assert.equal((await writer.person.patch(alert, dismissal)).status, 200);
  assert.equal((await writer.person.patch(alert, { state: 'open' })).status, 200);
  assert.equal((await writer.person.get(alert)).status, 403);
});

test('a document that takes too much memory or time fails the upload, and the next one is read', async () => {
  const { services } = server.app.kernel;
  const usual = services.sarif;
  const results = Array.from({ length: 20_000 }, (_, at) => resultOf({ hash: `h${at}`, path: `${at}.js` }));
  const large = packed(sarifOf([{ ...runOf([]), results }]));
  try {
    for (const limits of [
      { cpuMs: 60_000, megabytes: 12 },
      { cpuMs: 1, megabytes: 768 },
    ]) {
      services.sarif = new SarifReader(limits);
      const status = await uploadPacked(place, large);
      assert.equal(status['processing_status'], 'failed', JSON.stringify(limits));
      assert.match((status['errors'] as string[]).join(), /too much memory or time. Split it/);
    }
  } finally {
    services.sarif = usual;
  }
  assert.deepEqual(await alertStates(place), { 1: 'open' });
  await analyze(place, [{ hash: 'one' }, { hash: 'two' }]);
  assert.deepEqual(await alertStates(place), { 1: 'open', 2: 'open' });
});

test('uploads have a quota of their own', async () => {
  const counters = async () => (await ada.get('/rate_limit')).json['resources'] as Json;
  const { core, code_scanning_upload: uploads } = await counters();
  assert.equal(uploads.limit, UPLOADS);
  for (let left = uploads.remaining as number; left > 0; left -= 1) {
    const { status, headers } = await uploadBytes(place, EMPTY);
    assert.equal(status, 202);
    assert.equal(headers.get('x-ratelimit-resource'), 'code_scanning_upload');
    assert.equal(headers.get('x-ratelimit-remaining'), String(left - 1));
  }
  const refused = await uploadBytes(place, EMPTY);
  assert.equal(refused.status, 403, refused.text);
  assert.match(refused.json['message'], /rate limit exceeded/i);
  assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  const now = await counters();
  assert.equal(now['code_scanning_upload'].remaining, 0);
  assert.equal(now['core'].used, core.used);
  assert.equal((await ada.get(`${place.at}/code-scanning/alerts`)).status, 200);
});
