// Streams that were opened with a key which expires end at that time, however seldom heartbeats are.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventReader } from '../../../event-stream.ts';
import { startServer, type TestServer } from '../../../server.ts';
import { HOUR, inBase64, openProject, USER, type KeyProject } from './keys-calls.ts';

let server: TestServer;
let home: KeyProject;
before(async () => {
  server = await startServer({ streamHeartbeat: 240 });
  home = await openProject(server);
});
after(() => server.stop());

async function openAll(): Promise<EventReader[]> {
  const { sdk, mobile, client } = await home.readKeys('test');
  const paths: [path: string, key?: string][] = [
    ['/all', sdk],
    ['/mping', mobile],
    [`/eval/${client}/${inBase64(USER)}`],
  ];
  return await Promise.all(
    paths.map(([path, key]) =>
      EventReader.open(`${server.url}${path}`, { headers: key === undefined ? {} : { authorization: key } }),
    ),
  );
}

test('a stream ends when its key expires, not with the heartbeat after it, and one with the new key goes on', async () => {
  const old = await openAll();
  // After this one, the next is four minutes away.
  for (const reader of old) await reader.commented();
  const expiry = server.clock.now() + HOUR;
  for (const what of ['apiKey', 'mobileKey', 'clientSideId'])
    await home.rest(`projects/${home.project}/environments/test/${what}?expiry=${expiry}`, {
      method: 'POST',
    });
  const renewed = await openAll();
  for (const reader of renewed) await reader.next();
  assert.deepEqual(
    old.map(({ isEnded }) => isEnded),
    [false, false, false],
  );
  server.clock.ahead += HOUR;
  await Promise.all(old.map((reader) => reader.ended()));
  assert.deepEqual(
    renewed.map(({ isEnded }) => isEnded),
    [false, false, false],
  );
  for (const reader of renewed) reader.close();
});
