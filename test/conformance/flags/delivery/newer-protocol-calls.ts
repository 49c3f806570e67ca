// Calls for tests of the newer delivery protocol: polls and streams, and the transfers in them.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { EventReader, type ServerEvent, type StreamInit } from '../../../event-stream.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import type { KeyProject } from './keys-calls.ts';

export const OTHER_USER = { kind: 'user', key: 'v' };
export const basisOf = (state: string) => `basis=${encodeURIComponent(state)}`;

/** A transfer as tests compare it: the intent, the objects that were put and deleted, and the new state. */
export interface ReceivedTransfer {
  intent: string;
  reason: string;
  id: string;
  target: number;
  put: Record<string, Json>;
  deleted: Record<string, number>;
  versions: Record<string, number>;
  state?: string;
  version?: number;
}

export function receivedFrom(events: readonly ServerEvent[]): ReceivedTransfer {
  const [first, ...rest] = events;
  assert.equal(first!.event, 'server-intent');
  assert.equal(first!.data.payloads.length, 1);
  const { id, target, intentCode, reason } = first!.data.payloads[0];
  const transfer: ReceivedTransfer = {
    intent: intentCode,
    reason,
    id,
    target,
    put: {},
    deleted: {},
    versions: {},
  };
  for (const [index, { event, data }] of rest.entries()) {
    const name = `${data.kind}/${data.key}`;
    if (event === 'put-object') transfer.put[name] = data.object;
    else if (event === 'delete-object') transfer.deleted[name] = data.version;
    else {
      assert.deepEqual([event, index], ['payload-transferred', rest.length - 1]);
      assert.equal(data.id, id);
      assert.equal(data.version, target);
      return { ...transfer, state: data.state, version: data.version };
    }
    transfer.versions[name] = data.version;
  }
  assert.deepEqual([intentCode, rest], ['none', []]);
  return transfer;
}

/** The next event but heartbeats. */
export async function nextButHeartbeats(reader: EventReader): Promise<ServerEvent> {
  const event = await reader.next();
  return event.event === 'heart-beat' ? nextButHeartbeats(reader) : event;
}

/** The next transfer of a stream. */
export async function nextTransfer(reader: EventReader): Promise<ReceivedTransfer> {
  const events = [await nextButHeartbeats(reader)];
  if (events[0]!.data.payloads?.[0].intentCode === 'none') return receivedFrom(events);
  while (events.at(-1)!.event !== 'payload-transferred') events.push(await reader.next());
  return receivedFrom(events);
}

/** What a test has now; it may have another server or project than the one before. */
export interface TransferSetup {
  server: TestServer;
  home: KeyProject;
}

/** To be called in a suite: its streams are closed after each test. */
export function transferCalls(setup: () => TransferSetup) {
  const readers: EventReader[] = [];
  const closeAll = () => {
    for (const reader of readers.splice(0)) reader.close();
  };
  afterEach(closeAll);

  async function pollAt(path: string, key?: string, init: CallInit = {}): Promise<ReceivedTransfer> {
    const { home } = setup();
    const answer = await home.ask(path, key, {}, init);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal(answer.headers.get('etag'), null);
    assert.equal(answer.headers.get('x-ld-envid'), home.keys.client);
    assert.deepEqual(Object.keys(answer.json), ['events']);
    return receivedFrom(answer.json.events);
  }

  async function open(
    path: string,
    key?: string,
    init: StreamInit = {},
    at = setup().server,
  ): Promise<EventReader> {
    const reader = await EventReader.open(`${at.url}${path}`, {
      ...init,
      headers: { ...(key !== undefined && { authorization: key }), ...init.headers },
    });
    readers.push(reader);
    return reader;
  }

  const withBasis = (path: string, state?: string) =>
    `${path}${state === undefined ? '' : `?${basisOf(state)}`}`;
  return {
    pollAt,
    poll: (state?: string) => pollAt(withBasis('/sdk/poll', state), setup().home.keys.sdk),
    open,
    stream: (state?: string, at = setup().server) =>
      open(withBasis('/sdk/stream', state), setup().home.keys.sdk, {}, at),
    closeAll,
  };
}

export type TransferCalls = ReturnType<typeof transferCalls>;
