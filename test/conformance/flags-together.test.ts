// Calls that change the same members and teams at the same time, in different orders: none is turned away.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEngine } from '../engines.ts';
import { join } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';
import { SEMANTIC } from './flags-control-calls.ts';

onEngine('postgres', (testEngine) => {
  let server: TestServer;
  const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
  const instruct = (path: string, instructions: object[]) =>
    call(path, { method: 'PATCH', headers: SEMANTIC, body: { instructions } });
  const bothWays = async (make: (name: string) => object, path: string, names: string[]) => {
    const answers = await Promise.all([
      instruct(path, names.map(make)),
      instruct(path, names.toReversed().map(make)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  };

  before(async () => {
    server = await startServer({ database: await testEngine.database() });
    for (const key of ['a', 'b']) await call('teams', { method: 'POST', body: { key, name: key } });
  });
  after(() => server.stop());

  test('members into teams', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await join(server, `joins-${round}`);
      await bothWays((key) => ({ kind: 'addMembersToTeams', memberIDs: [id], teamKeys: [key] }), 'teams', [
        'a',
        'b',
      ]);
    }
  });

  test('roles for members', async () => {
    const ids = [(await join(server, 'one')).id, (await join(server, 'two')).id];
    for (const value of ['writer', 'reader', 'writer', 'reader', 'writer'])
      await bothWays((id) => ({ kind: 'replaceMembersRoles', value, memberIDs: [id] }), 'members', ids);
  });
});
