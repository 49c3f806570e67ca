// An evaluation after an event, on a node that does not have the announced revision yet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openProject } from '../../../test/conformance/flags-keys-calls.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Feed } from '../delivery/feed.ts';
import { catchUp } from './catch-up.ts';

let server: TestServer;
let kernel: Kernel;
let feed: Feed;
before(async () => {
  server = await startServer();
  ({ kernel } = server.app);
  const { keys, flags } = await openProject(server);
  await flags.make('flag');
  feed = (await kernel.services.feeds.openByKey('sdk', keys.sdk, server.clock.now()))!;
});
after(() => server.stop());

/** The feed of a node that does not have the last change. */
const laggingFeed = () => ({ environment: feed.environment, revision: feed.revision - 1 }) as Feed;
/** A kernel whose feed is this one each time that it is opened. */
const kernelWith = (open: () => Feed) =>
  ({ db: kernel.db, services: { feeds: { open: async () => open() } } }) as unknown as Kernel;

test('waits until the announced revision is there', async () => {
  let opened = 0;
  const lagging = laggingFeed();
  const late = kernelWith(() => ((opened += 1) < 3 ? lagging : feed));
  assert.equal(await catchUp(late, lagging, String(feed.revision)), feed);
  assert.equal(opened, 3);
});

test('does not wait for what the node has already, nor without an event', async () => {
  const never = kernelWith(() => assert.fail('the feed was opened again'));
  const lagging = laggingFeed();
  for (const announced of [undefined, '', 'x', '0', String(lagging.revision)])
    assert.equal(await catchUp(never, lagging, announced), lagging);
});

test('waits for no more than the database has', async () => {
  const late = kernelWith(() => feed);
  assert.equal(await catchUp(late, laggingFeed(), '999999999'), feed);
});

test('fails rather than to answer with older values', async () => {
  const lagging = laggingFeed();
  const stuck = kernelWith(() => lagging);
  await assert.rejects(catchUp(stuck, lagging, String(feed.revision)), (error) => {
    assert.ok(error instanceof Failure);
    assert.deepEqual([error.kind, error.details.headers], ['unavailable', { 'retry-after': '1' }]);
    return true;
  });
});
