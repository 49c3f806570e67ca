// Branches and tags whose names differ in case only: the API refuses them, as pushes do.
import assert from 'node:assert/strict';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type TestServer } from '../../../server.ts';

let server: TestServer;
let ada: HostPerson;
const repository = '/repos/ada/cased';
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  await ada.repository('cased', { auto_init: true });
});
after(() => server.stop());

const tip = async () => (await ada.get(`${repository}/git/ref/heads/main`)).json['object'].sha as string;
const create = async (ref: string) => await ada.post(`${repository}/git/refs`, { ref, sha: await tip() });

test('a reference is not created beside one that differs from it in case only', async () => {
  assert.equal((await create('refs/heads/Feature/One')).status, 201);
  assert.equal((await create('refs/tags/V1')).status, 201);
  for (const [ref, existing] of [
    ['refs/heads/feature/one', 'refs/heads/Feature/One'],
    ['refs/heads/MAIN', 'refs/heads/main'],
    ['refs/tags/v1', 'refs/tags/V1'],
  ] as const) {
    const { status, json, text } = await create(ref);
    assert.equal(status, 422, text);
    assert.equal(json['message'], `${ref} differs from ${existing} only in upper and lower case.`);
    assert.equal((await ada.get(`${repository}/git/ref/${ref.slice('refs/'.length)}`)).status, 404);
  }
  assert.equal((await create('refs/tags/main')).status, 201);
});

test('a branch is not renamed to one that differs from another in case only, but may change its own case', async () => {
  assert.equal((await create('refs/heads/other')).status, 201);
  const rename = (from: string, name: string) =>
    ada.post(`${repository}/branches/${from}/rename`, { new_name: name });
  assert.equal((await rename('other', 'Main')).status, 422);
  assert.equal((await rename('other', 'Other')).status, 201);
  assert.equal((await ada.get(`${repository}/git/ref/heads/other`)).status, 404);
});

test('what exists under such a name can be moved and deleted', async () => {
  assert.equal((await create('refs/heads/moves')).status, 201);
  const sha = await tip();
  assert.equal((await ada.patch(`${repository}/git/refs/heads/moves`, { sha })).status, 200);
  assert.equal((await ada.delete(`${repository}/git/refs/heads/moves`)).status, 204);
  assert.equal((await create('refs/heads/MOVES')).status, 201);
});
