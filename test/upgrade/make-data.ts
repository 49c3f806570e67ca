// Creates a data folder with one of every resource, to be kept beside the tests: later releases must open and use it.
// Run once for a release that others build upon: node launch.mjs --script test/upgrade/make-data.ts test/upgrade/data-NAME.tar.gz
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSampleResources } from '../conformance/flags/sample-resources.ts';
import { giveToken, join as joinAs } from '../people.ts';
import { startServer, type CallInit, type Json } from '../server.ts';

const archive = process.argv[2] ?? assert.fail('Name the archive to write.');
const data = mkdtempSync(join(tmpdir(), 'signalbox-data-'));
const server = await startServer({ data, demo: true });

async function send(method: string, path: string, init: CallInit = {}): Promise<Json> {
  const { status, text } = await server.call(path, { method, ...init });
  assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  return text.startsWith('{') ? (JSON.parse(text) as Json) : {};
}

await createSampleResources(server, 'kept');
await send('POST', '/api/v2/projects', { body: { key: 'kept', name: 'Kept' } });
await send('POST', '/api/v2/flags/kept', {
  body: {
    key: 'kept-flag',
    name: 'Kept flag',
    customProperties: { 'team-owner': { name: 'Owner', value: ['web'] } },
  },
});
const place = '/api/v2/projects/kept/flags/kept-flag/environments/production';
const approval = await send('POST', `${place}/approval-requests`, {
  body: { description: 'Turn it on', instructions: [{ kind: 'turnFlagOn' }] },
});

// A person with a token, and a service token that has created resources in that person's name.
const ada = await joinAs(server, 'ada', { role: 'writer' });
const personal = await giveToken(server, ada, { role: 'writer', name: 'personal' });
const service = await giveToken(server, ada, { role: 'writer', name: 'robot', isService: true });

const ids: Record<string, string> = {};
async function store(kind: string, name: string | undefined, token: string): Promise<string> {
  const made = await send('POST', `/v2/${kind}${name === undefined ? '' : `?name=${name}`}`, { token });
  const id = made['data'].id as string;
  ids[`${kind}/${name ?? 'unnamed'}`] = id;
  return id;
}
const shops = await store('datasets', 'shops', personal.value);
await store('datasets', 'Shops', personal.value);
await store('datasets', undefined, personal.value);
await store('datasets', 'by-robot', service.value);
const items = Array.from({ length: 500 }, (_, index) => ({
  index,
  name: `Shop ${index}`,
  open: index % 2 === 0,
}));
await send('POST', `/v2/datasets/${shops}/items`, { token: personal.value, body: items });
const files = await store('key-value-stores', 'files', personal.value);
const put = (key: string, type: string, body: string) =>
  send('PUT', `/v2/key-value-stores/${files}/records/${key}`, {
    token: personal.value,
    headers: { 'content-type': type },
    body,
  });
await put('small', 'text/plain', 'hello');
await put('page', 'text/html', '<p>hello</p>');
await put('large', 'text/plain', 'large '.repeat(50_000));
const pages = await store('request-queues', 'pages', personal.value);
const requests = Array.from({ length: 20 }, (_, index) => ({
  url: `https://example.com/${index}`,
  uniqueKey: `page-${index}`,
}));
await send('POST', `/v2/request-queues/${pages}/requests/batch`, { token: personal.value, body: requests });
await send('POST', `/v2/request-queues/${pages}/head/lock?lockSecs=60&limit=5&clientKey=kept`, {
  token: personal.value,
});

await server.stop();
const kept = { personal: personal.value, service: service.value, approval: approval['_id'], ids };
writeFileSync(join(data, 'kept.json'), `${JSON.stringify(kept, null, 2)}\n`);
execFileSync('tar', ['-czf', archive, '-C', data, '.']);
rmSync(data, { recursive: true });
