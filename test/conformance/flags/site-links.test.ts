// Links of the flags API to pages: each leads to a page that the console has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join, openBrowser } from '../../people.ts';
import { startServer, type Json, type TestServer } from '../../server.ts';
import { checkSiteLink, sitesIn } from '../../site-links.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('every page that lists of flags, segments, projects and members link to is there', async () => {
  const call = async (path: string, body?: Json): Promise<Json> => {
    const headers = { 'ld-api-version': 'beta' };
    const init = body === undefined ? { headers } : { method: 'POST', body };
    const answer = await server.call(`/api/v2/${path}`, init);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  await call('projects', { key: 'shop', name: 'Shop' });
  await call('flags/shop', { key: 'new', name: 'A flag' });
  await call('flags/shop', { key: 'needs', name: 'Another' });
  await call('segments/shop/test', { key: 'beta', name: 'Beta' });
  const patch = {
    environmentKey: 'test',
    instructions: [{ kind: 'addPrerequisite', key: 'new', variationId: '' }],
  };
  const { variations } = await call('flags/shop/new');
  patch.instructions[0]!.variationId = variations[0]._id;
  const patched = await server.call('/api/v2/flags/shop/needs', {
    method: 'PATCH',
    body: patch,
    headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
  });
  assert.equal(patched.status, 200, patched.text);
  const found = new Set<string>();
  for (const list of [
    'flags/shop?env=test&env=production&summary=0',
    'flags/shop/new',
    'flags/shop/new/dependent-flags',
    'flags/shop/test/new/dependent-flags',
    'segments/shop/test',
    'segments/shop/test/beta',
    'projects?expand=environments',
    'projects/shop',
    'projects/shop/environments/test',
    'members',
    'members/me',
    'teams',
  ])
    for (const href of sitesIn(await call(list))) found.add(href);
  const { _id: me } = await call('members/me');
  for (const href of [
    '/console/flags/shop/new/targeting?env=test',
    '/console/segments/shop/beta?env=test',
    '/console/environments/shop',
    '/console/environments/shop?env=production',
    `/console/account/members?member=${me}`,
  ])
    assert.ok(found.has(href), `${href} is not among ${[...found].join(' ')}`);
  const browser = await openBrowser(server, await join(server, 'ann'));
  for (const href of found) {
    const { status, headers } = await server.call(href, {
      token: null,
      headers: { ...browser, accept: 'text/html' },
    });
    assert.equal(status, 200, href);
    assert.match(String(headers.get('content-type')), /^text\/html/);
    checkSiteLink(href);
  }
});
