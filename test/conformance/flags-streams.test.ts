// Streams of flags: everything at first, then each change in order, to every kind of key.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { EventReader, type StreamInit } from '../event-stream.ts';
import { startServer, type TestServer } from '../server.ts';
import { openProject, type KeyProject } from './flags-keys-calls.ts';

let server: TestServer;
let home: KeyProject;
const open: EventReader[] = [];
before(async () => {
  server = await startServer({ limits: 'off' });
  home = await openProject(server);
  await home.flags.make('seen', {
    clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
  });
  await home.flags.make('hidden');
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
after(() => server.stop());

async function stream(path: string, key?: string, init: StreamInit = {}): Promise<EventReader> {
  const reader = await EventReader.open(`${server.url}${path}`, {
    ...init,
    headers: { ...(key !== undefined && { authorization: key }), ...init.headers },
  });
  open.push(reader);
  return reader;
}

describe('streams to servers', () => {
  test('/all begins with everything, and goes on with each change', async () => {
    const reader = await stream('/all', home.keys.sdk);
    assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(reader.headers['x-ld-envid'], home.keys.client);
    const put = await reader.next();
    assert.deepEqual([put.event, put.data.path], ['put', '/']);
    assert.deepEqual(Object.keys(put.data.data.flags), ['hidden', 'seen']);
    await home.instruct('hidden', [{ kind: 'turnFlagOn' }]);
    const patch = await reader.next();
    assert.deepEqual([patch.event, patch.data.path, patch.data.data.on], ['patch', '/flags/hidden', true]);
    assert.ok(patch.data.data.version > put.data.data.flags.hidden.version);
    await home.instruct('hidden', [{ kind: 'turnFlagOff' }]);
    const off = await reader.next();
    assert.equal(off.data.data.on, false);
    assert.ok(off.data.data.version > patch.data.data.version);
  });
});
