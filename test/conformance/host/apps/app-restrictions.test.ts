// Apps among those who may push to a protected branch, on each engine.
import assert from 'node:assert/strict';
import { systemActor } from '../../../../src/kernel/identity/actor.ts';
import { removeApp } from '../../../../src/host/apps/remove-app.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../host-crew.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const CONTENT = Buffer.from('text\n').toString('base64');

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
  });
  after(() => server.stop());

  const slugsOf = (apps: unknown) => (apps as Json[]).map(({ slug }) => slug as string);

  test('an app that a restriction names by its slug may push through its installation, and no other', async () => {
    const { ada } = crew;
    const { path } = await crew.repository('released');
    const { id } = await expect(200, ada.get(path));
    const permissions = { contents: 'write' };
    const named = await makeApp(server, 'ada', { name: 'Release Bot', permissions });
    const other = await makeApp(server, 'ada', { name: 'Other Bot', permissions });
    const reader = await makeApp(server, 'ada', {
      name: 'Reader Bot',
      permissions: { contents: 'read' },
    });
    const url = `${path}/branches/main/protection`;
    const restrict = (apps: unknown) =>
      ada.put(url, { ...NO_REQUIREMENTS, restrictions: { users: [], teams: [], apps } as Json });
    // It must be installed, reach the repository, and may write contents.
    await expect(422, restrict(['release-bot']));
    const { number } = await named.install('crew', [id as number]);
    const tokens = [
      await named.token({ number }),
      await other.token(await other.install('crew')),
      await reader.token(await reader.install('crew')),
    ] as [string, string, string];
    await expect(422, restrict(['reader-bot']));
    await expect(422, restrict(['release-bot[bot]']));
    await expect(422, restrict(['nobody']));
    await expect(422, restrict('release-bot'));
    const users = { users: ['release-bot[bot]'], teams: [] };
    await expect(422, ada.put(url, { ...NO_REQUIREMENTS, restrictions: users }));

    const { restrictions } = await expect(200, restrict(['Release-Bot', 'deploy']));
    assert.deepEqual(slugsOf(restrictions.apps).toSorted(), ['deploy', 'release-bot']);
    const shown = (restrictions.apps as Json[]).find(({ slug }) => slug === 'release-bot')!;
    assert.deepEqual(
      [shown['id'], shown['name'], shown['owner'].login, shown['permissions'].contents],
      [named.app.number, 'Release Bot', 'ada', 'write'],
    );
    assert.deepEqual(restrictions.users, []);

    const write = (token: string, file: string) =>
      server.call(`${path}/contents/${file}`, {
        method: 'PUT',
        token,
        body: { message: 'Write', content: CONTENT },
      });
    await expect(201, write(tokens[0], 'a.txt'));
    await expect(409, write(tokens[1], 'b.txt'));
    await expect(403, write(tokens[2], 'c.txt'));

    // The lists of the restriction are changed by slug, beside service tokens.
    const list = `${url}/restrictions/apps`;
    await expect(200, ada.delete(list, ['release-bot']));
    await expect(409, write(tokens[0], 'd.txt'));
    assert.deepEqual(slugsOf(await expect(200, ada.get(list))), ['deploy']);
    await expect(200, ada.post(list, ['other-bot']));
    await expect(201, write(tokens[1], 'e.txt'));
    await expect(200, ada.put(list, ['release-bot']));
    assert.deepEqual(slugsOf(await expect(200, ada.get(list))), ['release-bot']);
    await expect(409, write(tokens[1], 'f.txt'));
    await expect(200, ada.put(`${url}/restrictions/users`, ['cleo']));
    assert.deepEqual(slugsOf(await expect(200, ada.get(list))), ['release-bot']);

    // Whoever does not reach the repository any more is not shown, and an app that ends is forgotten.
    await expect(204, ada.delete(`/user/installations/${number}/repositories/${id}`));
    assert.deepEqual(await expect(200, ada.get(list)), []);
    await expect(204, ada.put(`/user/installations/${number}/repositories/${id}`));
    assert.deepEqual(slugsOf(await expect(200, ada.get(list))), ['release-bot']);
    const { kernel } = server.app;
    await kernel.changes.run(systemActor({ now: kernel.clock.now() }), (tx) => removeApp(tx, named.app));
    assert.deepEqual(await expect(200, ada.get(list)), []);
    const rows = await kernel.db
      .selectFrom('branch_protection_actors')
      .selectAll()
      .where('account_id', '=', named.app.botId)
      .execute();
    assert.deepEqual(rows, []);
  });
});
