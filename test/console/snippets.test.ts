// Calls of the console as commands and programs, for each client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../console/api/call.ts';

// The console reads from its page where the server is.
Object.assign(globalThis, {
  document: { baseURI: 'https://box.example/console/' },
  location: new URL('https://box.example/console/'),
});
const { clientsOf, snippetOf } = await import('../../console/api/snippets.ts');

test('a change is a command that reads its body, in the type that the API asks for', () => {
  const call: Call = {
    api: 'flags',
    method: 'PATCH',
    path: '/flags/shop/dark',
    contentType: 'application/json; domain-model=launchdarkly.semanticpatch',
    body: { comment: "it's late", instructions: [{ kind: 'turnFlagOff' }] },
  };
  assert.deepEqual(clientsOf(call), ['curl', 'fetch', 'cli']);
  assert.equal(
    snippetOf(call, 'cli'),
    String.raw`echo '{"comment":"it'\''s late","instructions":[{"kind":"turnFlagOff"}]}' | signalbox api PATCH '/api/v2/flags/shop/dark' \
  --url 'https://box.example' \
  -H 'content-type: application/json; domain-model=launchdarkly.semanticpatch' \
  --input -`,
  );
  const read = snippetOf({ api: 'host', path: '/user' }, 'cli');
  assert.equal(read, "signalbox api GET '/user' \\\n  --url 'https://box.example'");
  const options = { token: 'api-1', program: 'node launch.mjs' };
  assert.equal(
    snippetOf({ api: 'host', path: '/user' }, 'cli', options),
    "SIGNALBOX_TOKEN='api-1' node launch.mjs api GET '/user' \\\n  --url 'https://box.example'",
  );
});

test('the client of Actors is offered for calls that it has a method for, and for no others', () => {
  const lastLine = (call: Call) => snippetOf(call, 'apify-client').split('\n').at(-1);
  const get = (path: string, query?: Call['query']): Call => ({
    api: 'actors',
    path,
    ...(query && { query }),
  });
  assert.equal(lastLine(get('/users/me')), 'console.log(await client.user().get());');
  assert.equal(
    lastLine(get('/key-value-stores', { limit: 5 })),
    'console.log(await client.keyValueStores().list({"limit":5}));',
  );
  assert.equal(
    lastLine(get('/acts/ada~shop/runs')),
    'console.log(await client.actor("ada~shop").runs().list());',
  );
  assert.equal(lastLine(get('/datasets/d1/items')), 'console.log(await client.dataset("d1").listItems());');
  for (const path of ['/store', '/actor-runs/r1/log', '/key-value-stores/s1/records/INPUT'])
    assert.deepEqual(clientsOf(get(path)), ['curl', 'fetch', 'cli'], path);
  assert.deepEqual(clientsOf({ ...get('/acts'), method: 'POST' }), ['curl', 'fetch', 'cli']);
});
