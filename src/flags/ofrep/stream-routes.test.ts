// What a stream of OFREP sends when it begins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Feed } from '../delivery/feed/feed.ts';
import { changeProtocol, readEventRevision, type ChangeReader } from './stream-routes.ts';

const feedAt = (revision: number) => ({ revision, environment: {} }) as Feed;
const readerOf = (seen: number, open: () => Feed): ChangeReader => ({
  audience: 'server',
  clock: { now: () => 1_771_622_898_500 },
  feeds: { open: async () => open() },
  seen,
});

test('a client that has the revision of the feed gets its id alone', async () => {
  const feed = feedAt(5);
  assert.deepEqual(
    await changeProtocol.whole(
      feed,
      readerOf(5, () => feed),
    ),
    ['id: 5\n\n'],
  );
});

test('a client that has another revision gets an event to evaluate again', async () => {
  const feed = feedAt(5);
  const event = 'id: 5\ndata: {"type":"refetchEvaluation","etag":"5","lastModified":1771622898}\n\n';
  for (const seen of [4, 6]) {
    assert.deepEqual(
      await changeProtocol.whole(
        feed,
        readerOf(seen, () => feed),
      ),
      [event],
    );
  }
});

test('a change that came before the stream followed the feed is not lost', async () => {
  const feed = feedAt(5);
  const reader = readerOf(5, () => {
    feed.revision = 6;
    return feed;
  });
  const [event] = await changeProtocol.whole(feed, reader);
  assert.match(String(event), /"etag":"6"/);
  assert.equal(reader.seen, 6);
});

test('a stream whose feed was closed ends, so that the client comes again', async () => {
  await assert.rejects(
    changeProtocol.whole(
      feedAt(5),
      readerOf(5, () => feedAt(5)),
    ),
  );
});

test('only what events have is a revision', () => {
  assert.equal(readEventRevision('42'), 42);
  for (const text of [undefined, '', '"42"', '-1', '1.5', '1e3', '9'.repeat(16), ' 1']) {
    assert.equal(readEventRevision(text), undefined, text);
  }
});
