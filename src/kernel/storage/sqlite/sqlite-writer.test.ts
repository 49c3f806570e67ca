// The group commit alone, with controlled time and failures.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { SqliteConnection } from './sqlite-connection.ts';
import type { NumberedRequest, ThreadReply, StorageRequest } from './sqlite-protocol.ts';
import { SqliteWriter } from './sqlite-writer.ts';

interface Bench {
  connection: SqliteConnection;
  /** Sends requests as one message; returns the replies so far by the number of their request. */
  send(...requests: StorageRequest[]): Map<number, ThreadReply>;
  names(): unknown[];
}

/** `now` is the writer's clock, which stands still where a test does not say otherwise. */
function setUp(t: TestContext, now: () => number = () => 0): Bench {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const connection = new SqliteConnection(join(folder, 'x.db'), 'write');
  t.after(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  connection.run('create table notes (name text primary key)');
  const replies = new Map<number, ThreadReply>();
  const writer = new SqliteWriter(
    connection,
    (answered) => answered.forEach((reply) => replies.set(reply[0], reply)),
    () => undefined,
    now,
  );
  let lastId = 0;
  return {
    connection,
    send(...requests) {
      writer.accept(requests.map((request): NumberedRequest => [++lastId, request]));
      return replies;
    },
    names: () => connection.run('select name from notes order by name')[1],
  };
}

const insert = (transaction: number, name: string): StorageRequest => [
  'run',
  transaction,
  'insert into notes values (?)',
  [name],
];

test('a full disk fails all that shared the commit, and nothing else', (t) => {
  const { connection, send, names } = setUp(t);
  send(insert(0, 'before'));
  connection.run('pragma max_page_count = 10');
  const replies = send(insert(0, 'neighbour'), insert(0, 'x'.repeat(100_000)), insert(0, 'behind'));
  assert.deepEqual(
    [2, 3, 4].map((id) => replies.get(id)?.[2]?.kind ?? 'done'),
    ['unavailable', 'unavailable', 'done'],
  );
  assert.deepEqual(names(), ['before', 'behind']);
});

test('an idle transaction is rolled back, and the waiting ones continue', (t) => {
  const { send, names } = setUp(t);
  const replies = send(insert(1, 'silent'), insert(0, 'behind'));
  assert.deepEqual([...replies.keys()], [1]);
  t.mock.timers.tick(9_000);
  send(insert(1, 'still there'));
  t.mock.timers.tick(9_999);
  assert.equal(replies.has(2), false);
  t.mock.timers.tick(1);
  assert.deepEqual(names(), ['behind']);
  assert.equal(replies.get(2)?.[2], undefined);
  send(insert(1, 'too late'), ['commit', 1]);
  assert.equal(replies.get(4)?.[2]?.kind, 'timeout');
  assert.equal(replies.get(5)?.[2]?.kind, 'timeout');
  assert.deepEqual(names(), ['behind']);
});

test('giving up a transaction that has already been ended is no error', (t) => {
  const { send } = setUp(t);
  send(insert(1, 'silent'));
  t.mock.timers.tick(10_000);
  assert.deepEqual(send(['rollback', 1]).get(2)?.[2], undefined);
});

test('a commit is answered with its group and not before, and so are statements that came along with it', (t) => {
  const { send, names } = setUp(t);
  const replies = send(insert(1, 'first'), ['commit', 1], insert(2, 'second'));
  assert.deepEqual([...replies.keys()], [3]);
  send(['commit', 2]);
  assert.deepEqual([...replies.keys()], [3, 1, 2, 4]);
  assert.deepEqual(names(), ['first', 'second']);
});

test('a group that has grown older than 5 ms is committed before another request joins it', (t) => {
  // Each request that may join a group asks for the time; the group's own beginning does too.
  const times = [0, 5, 5.1, 5.1];
  const { send, names } = setUp(t, () => times.shift()!);
  const replies = send(insert(0, 'a'), insert(0, 'b'), insert(1, 'c'));
  assert.deepEqual([...replies.keys()], [1, 2, 3]);
  send(['rollback', 1]);
  assert.deepEqual(names(), ['a', 'b']);
  assert.deepEqual(times, []);
});

test('a group of 256 is committed before another request joins it', (t) => {
  const { send } = setUp(t);
  const group = Array.from({ length: 255 }, (_, index) => insert(0, `${index}`));
  const replies = send(...group, insert(1, 'the 256th'));
  assert.deepEqual([...replies.keys()], [256]);
  send(insert(2, 'the 257th'), ['commit', 1]);
  assert.equal(replies.size, 258);
});

test('rolling back one transaction leaves the others of its group', (t) => {
  const { send, names } = setUp(t);
  send(insert(0, 'a'), insert(1, 'b'), insert(2, 'c'), ['rollback', 1], insert(0, 'd'), ['commit', 2]);
  assert.deepEqual(names(), ['a', 'c', 'd']);
});

test('a batch is in the group or leaves nothing: one that fails, or whose guard writes nothing, leaves the others', (t) => {
  const { send, names } = setUp(t);
  const batch = (guards: number, ...all: string[]): StorageRequest => [
    'batch',
    all.map((name) => ['insert into notes values (?) on conflict do nothing', [name]]),
    guards,
  ];
  const failing: StorageRequest = ['batch', [['insert into notes values (?), (?)', ['e', 'e']]], 0];
  const replies = send(insert(0, 'a'), batch(0, 'b', 'a'), batch(1, 'c', 'b'), batch(2, 'd', 'a'), failing);
  assert.deepEqual(
    [2, 3, 4, 5].map((id) => replies.get(id)?.[3]?.map(([, , changes]) => changes)),
    [[1, 0], [1, 0], undefined, undefined],
  );
  assert.deepEqual(
    [2, 3, 4, 5].map((id) => replies.get(id)?.[2]?.errcode),
    [undefined, undefined, undefined, 1555],
  );
  assert.equal(replies.get(3)?.[1][5], replies.get(1)?.[1][5]);
  assert.deepEqual(names(), ['a', 'b', 'c']);
});

test('when the group cannot be committed, all of it fails as unavailable', (t) => {
  const { connection, send, names } = setUp(t);
  connection.run('create table children (parent text references notes (name) deferrable initially deferred)');
  const replies = send(
    insert(0, 'a'),
    insert(1, 'b'),
    ['commit', 1],
    ['run', 0, "insert into children values ('nobody')", []],
  );
  assert.deepEqual(
    [...replies.values()].map((reply) => reply[2]?.kind),
    ['unavailable', 'unavailable', 'unavailable', 'unavailable'],
  );
  assert.deepEqual(names(), []);
  assert.equal(send(insert(0, 'later')).get(5)?.[2], undefined);
  assert.deepEqual(names(), ['later']);
});

test('a file that another process keeps locked fails all waiting requests at once', (t) => {
  const { connection, send, names } = setUp(t);
  connection.run('pragma busy_timeout = 0');
  const file = connection.run('pragma database_list')[1][2] as string;
  const other = new SqliteConnection(file, 'write');
  other.run('begin immediate');
  const replies = send(insert(0, 'a'), insert(1, 'b'), insert(0, 'c'));
  assert.deepEqual(
    [...replies.values()].map((reply) => reply[2]?.errcode),
    [5, 5, 5],
  );
  other.run('rollback');
  other.close();
  send(['rollback', 1], insert(0, 'd'));
  assert.deepEqual(names(), ['d']);
});
