// One stream with a connection whose other end reads when the test says so.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import type { StreamConnection } from '../../kernel/http/route.ts';
import type { Feed } from './feed/feed.ts';
import { LiveStream, type StreamChunk, type StreamProtocol } from './live-stream.ts';

const BUFFER = 16 * 1024;

class FakeConnection extends EventEmitter implements StreamConnection {
  readonly written: string[] = [];
  writableLength = 0;
  writableNeedDrain = false;
  socket = { bytesWritten: 0 };
  state: 'open' | 'ended' | 'destroyed' = 'open';
  /** Without a reader, nothing leaves the buffer. */
  isRead = true;

  write(chunk: StreamChunk): boolean {
    assert.equal(this.state, 'open');
    this.written.push(String(chunk));
    this.socket.bytesWritten += chunk.length;
    if (!this.isRead) {
      this.writableLength += chunk.length;
      this.writableNeedDrain ||= this.writableLength > BUFFER;
    }
    return !this.writableNeedDrain;
  }

  read(bytes = this.writableLength): void {
    this.writableLength -= bytes;
    if (this.writableLength > 0 || !this.writableNeedDrain) return;
    this.writableNeedDrain = false;
    this.emit('drain');
  }

  cork(): void {}
  uncork(): void {}
  end(): void {
    this.state = 'ended';
  }
  destroy(): void {
    this.state = 'destroyed';
  }
}

const environment = { sdkKey: 'sdk-1', oldSdkKey: { key: 'sdk-0', until: 100 } };
const feed = { environment, endReason: undefined } as Feed;

function open(
  whole: StreamProtocol<string>['whole'] = async () => ['all'],
  key = 'sdk-1',
  more: Partial<StreamProtocol<string>> = {},
): { stream: LiveStream<string>; connection: FakeConnection; cuts: string[] } {
  const connection = new FakeConnection();
  const protocol = { whole, step: () => undefined, ...more };
  const owner = { kind: 'sdk' as const, key, address: '', weight: 1 };
  const cuts: string[] = [];
  const stream = new LiveStream(connection, { feed, protocol, reader: 'me', owner }, (reason) =>
    cuts.push(reason),
  );
  return { stream, connection, cuts };
}

const send = (stream: LiveStream<string>, text: string, revision = 1) =>
  void stream.sendStep(() => text, revision);

const settled = () => new Promise(setImmediate);

describe('a stream', () => {
  test('sends everything and then each change', async () => {
    const { stream, connection } = open();
    await stream.begin();
    send(stream, 'one');
    await stream.sendStep((reader) => `two for ${reader}`, 2);
    await stream.sendStep(async (reader) => `three for ${reader}`, 3);
    assert.deepEqual(connection.written, ['all', 'one', 'two for me', 'three for me']);
  });

  test('sends everything again where there was a change before it was sent', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const { stream, connection } = open(async () => {
      const number = asked;
      asked += 1;
      await gates[number]?.promise;
      return [`all ${number}`];
    });
    const begun = stream.begin();
    send(stream, 'missed');
    gates[0]!.resolve();
    await settled();
    gates[1]!.resolve();
    await begun;
    send(stream, 'next');
    assert.deepEqual(connection.written, ['all 0', 'all 1', 'next']);
  });

  test('that is not read holds a bounded amount, and begins anew when it is read again', async () => {
    const { stream, connection } = open();
    await stream.begin();
    connection.isRead = false;
    const change = 'x'.repeat(100_000);
    for (let count = 0; count < 100; count += 1) send(stream, change);
    assert.ok(connection.writableLength <= 400_000, String(connection.writableLength));
    connection.isRead = true;
    connection.read();
    await settled();
    send(stream, 'next');
    assert.deepEqual(connection.written.slice(-2), ['all', 'next']);
  });

  test('that has missed nothing goes on when it is read again', async () => {
    const { stream, connection } = open();
    await stream.begin();
    connection.isRead = false;
    send(stream, 'x'.repeat(300_000));
    connection.isRead = true;
    connection.read();
    await settled();
    send(stream, 'next');
    assert.deepEqual([connection.written.length, connection.written.at(-1)], [3, 'next']);
  });

  test('is broken off where what it sends cannot be made', async () => {
    const { stream, connection } = open(async () => {
      throw new Error('no');
    });
    await stream.begin();
    assert.equal(connection.state, 'destroyed');
    const other = open();
    await other.stream.begin();
    await other.stream.sendStep(async () => {
      throw new Error('no');
    }, 1);
    assert.equal(other.connection.state, 'destroyed');
  });
});

test('a stream that has ended sends nothing more', async () => {
  const gate = Promise.withResolvers<void>();
  const { stream, connection } = open(async () => {
    await gate.promise;
    return ['all'];
  });
  const begun = stream.begin();
  stream.end('enough');
  gate.resolve();
  await begun;
  send(stream, 'change');
  stream.heartbeat(0);
  assert.deepEqual(connection.written, []);
});

test('a stream that has missed something is asked for what follows the last revision it has got', async () => {
  const asked: (number | undefined)[] = [];
  const changing = { environment, revision: 5 };
  const connection = new FakeConnection();
  const stream = new LiveStream(connection, {
    feed: changing as unknown as Feed,
    protocol: {
      async whole(_feed, _reader, sent) {
        asked.push(sent);
        // It changes while it is read.
        if (asked.length === 1) {
          send(stream, 'missed', 6);
          changing.revision = 6;
        }
        return ['all'];
      },
      step: () => undefined,
    },
    reader: 'me',
    owner: { kind: 'sdk', key: 'sdk-1', address: '', weight: 1 },
  });
  await stream.begin();
  assert.deepEqual(asked, [undefined, 5]);
  connection.isRead = false;
  send(stream, 'x'.repeat(300_000), 7);
  changing.revision = 8;
  send(stream, 'missed', 8);
  connection.isRead = true;
  connection.read();
  await settled();
  assert.deepEqual(asked, [undefined, 5, 7]);
});

describe('a protocol', () => {
  test('may have its own heartbeat and its own last words', async () => {
    const { stream, connection } = open(undefined, 'sdk-1', {
      heartbeat: 'beat',
      goodbye: (why) => `bye: ${why}`,
    });
    await stream.begin();
    stream.heartbeat(0);
    stream.end('enough');
    stream.end('again');
    assert.deepEqual(connection.written, ['all', 'beat', 'bye: enough']);
    assert.equal(connection.state, 'ended');
  });

  test('may say that it cannot go on', async () => {
    const whole = async () => {
      throw new Error('no');
    };
    const { stream, connection } = open(whole, 'sdk-1', { error: (reader) => `sorry, ${reader}` });
    await stream.begin();
    assert.deepEqual([connection.written, connection.state], [['sorry, me'], 'ended']);
  });
});

describe('a heartbeat', () => {
  test('is a comment, where nothing waits to be sent', async () => {
    const { stream, connection } = open();
    await stream.begin();
    stream.heartbeat(0);
    assert.deepEqual(connection.written, ['all', ':\n\n']);
  });

  test('breaks a stream off of which nothing was sent since the last one', async () => {
    const { stream, connection, cuts } = open();
    await stream.begin();
    connection.isRead = false;
    send(stream, 'x'.repeat(20_000));
    stream.heartbeat(0);
    assert.equal(connection.state, 'open');
    connection.read(10_000);
    stream.heartbeat(0);
    assert.equal(connection.state, 'open');
    stream.heartbeat(0);
    assert.equal(connection.state, 'destroyed');
    assert.deepEqual(cuts, ['slow']);
  });

  test('finds a dead connection by the comment that it cannot send', async () => {
    const { stream, connection } = open();
    await stream.begin();
    connection.isRead = false;
    for (let count = 0; count < 3; count += 1) stream.heartbeat(0);
    assert.equal(connection.state, 'destroyed');
  });

  test('ends a stream whose key has expired', async () => {
    const { stream, connection } = open(undefined, 'sdk-0');
    await stream.begin();
    stream.heartbeat(99);
    assert.equal(connection.state, 'open');
    stream.heartbeat(100);
    assert.equal(connection.state, 'ended');
  });
});
