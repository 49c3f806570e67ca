// The signed addresses of files and archives of private repositories end with the access of those they were made for.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    await ada.repository('held', { private: true, auto_init: true });
  });
  after(() => server.stop());

  /** The addresses that a reader gets, without the origin. */
  async function addressesFor(token: string): Promise<string[]> {
    const file = await server.call('/repos/ada/held/contents/README.md', { token });
    assert.equal(file.status, 200, file.text);
    const archive = await server.call('/repos/ada/held/tarball', { token });
    assert.equal(archive.status, 302, archive.text);
    return [String(file.json['download_url']), archive.headers.get('location')!].map((url) =>
      url.slice(server.url.length),
    );
  }

  const statusesOf = async (addresses: readonly string[]) =>
    await Promise.all(addresses.map(async (path) => (await server.call(path, { token: null })).status));

  async function reader(login: string): Promise<HostPerson> {
    const person = await joinHost(server, login);
    assert.equal(
      (await ada.put(`/repos/ada/held/collaborators/${login}`, { permission: 'pull' })).status,
      204,
    );
    return person;
  }

  test('an address works for nobody once its holder is no collaborator any more', async () => {
    const bob = await reader('bob');
    const cid = await reader('cid');
    const [his, hers] = [await addressesFor(bob.token), await addressesFor(cid.token)];
    assert.deepEqual([...(await statusesOf(his)), ...(await statusesOf(hers))], [200, 200, 200, 200]);
    assert.equal((await ada.delete('/repos/ada/held/collaborators/bob')).status, 204);
    assert.deepEqual(await statusesOf(his), [404, 404]);
    assert.deepEqual(await statusesOf(hers), [200, 200]);
    // The holder is signed with the rest.
    const forged = his.map((path, index) => {
      const holder = /token=[^.]+\.([^.]+)\./.exec(hers[index]!)![1]!;
      return path.replace(/(token=[^.]+\.)[^.]+/, `$1${holder}`);
    });
    assert.deepEqual(await statusesOf(forged), [404, 404]);
  });

  test('an address ends with the token and with the member it was made for', async () => {
    const dan = await reader('dan');
    const eve = await reader('eve');
    const { id, value } = await giveToken(server, dan.member, { role: 'writer' });
    const [byToken, byOther, byMember] = [
      await addressesFor(value),
      await addressesFor(dan.token),
      await addressesFor(eve.token),
    ];
    await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' });
    await server.call(`/api/v2/members/${eve.member.id}`, { method: 'DELETE' });
    assert.deepEqual(await statusesOf(byToken), [404, 404]);
    assert.deepEqual(await statusesOf(byOther), [200, 200]);
    assert.deepEqual(await statusesOf(byMember), [404, 404]);
  });
});
