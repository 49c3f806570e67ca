// Webhooks of runs: how soon one leaves after its event, what events cost the calls, and healthy receivers beside bad ones.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { median, type Effort } from './compare.ts';
import { cpuMsOf } from './cpu.ts';
import { call, headers } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { ask, createScript, startRun, startRunServer, type RunServer } from './run-calls.ts';

const MAX_LEAVE_MS = 50;
const EVENTS = 1000;
const RECEIVERS = 50;
const HANGING = 10;
const FAILING = 10;
const EVENT_TYPES = ['ACTOR.RUN.CREATED', 'ACTOR.RUN.ABORTED'];

interface BenchReceiver {
  url: string;
  /** When each came. */
  times: number[];
  close(): void;
}

async function openReceiver(status: number | undefined): Promise<BenchReceiver> {
  const times: number[] = [];
  const server: Server = createServer((request, response) => {
    times.push(performance.now());
    request.resume();
    if (status !== undefined) response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    times,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server whose only slot is taken: runs wait until they are aborted, so that nothing but events is measured. */
async function startWaiting(): Promise<{ server: RunServer; actorId: string }> {
  const server = await startRunServer({
    SIGNALBOX_NODE_RUNS: '1',
    SIGNALBOX_ACCOUNT_RUNS: '100000',
    SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1',
  });
  const actorId = await createScript(server.url, 'setTimeout(() => {}, 3600000);\n');
  const connection = new Connection(server.url, headers);
  const first = await startRun(connection, actorId);
  for (;;) {
    const { status } = await ask<{ status: string }>(server.url, 'GET', `/v2/actor-runs/${first}`);
    if (status === 'RUNNING') break;
    await delay(50);
  }
  connection.close();
  return { server, actorId };
}

const addWebhook = (url: string, actorId: string, requestUrl: string) =>
  ask<{ id: string }>(url, 'POST', '/v2/webhooks', {
    eventTypes: EVENT_TYPES,
    condition: { actorId },
    requestUrl,
  });

/** Two events. */
async function startAndAbort(connection: Connection, actorId: string): Promise<void> {
  const id = await startRun(connection, actorId);
  await call(connection, 'POST', `/v2/actor-runs/${id}/abort`);
}

export async function benchWebhooks(effort: Effort): Promise<Row[]> {
  return [await benchLeaving(effort), ...(await benchBadReceivers())];
}

/** From the begin of the call, which is before the event, and from its answer, which is after it. */
async function benchLeaving({ rounds }: Effort): Promise<Row> {
  const { server, actorId } = await startWaiting();
  const receiver = await openReceiver(200);
  await addWebhook(server.url, actorId, receiver.url);
  const connection = new Connection(server.url, headers);
  const sinceCall: number[] = [];
  const sinceAnswer: number[] = [];
  for (let turn = -5; turn < rounds * 20; turn += 1) {
    const { length } = receiver.times;
    const begun = performance.now();
    const id = await startRun(connection, actorId);
    const answered = performance.now();
    while (receiver.times.length === length) await delay(1);
    const left = receiver.times[length]!;
    await call(connection, 'POST', `/v2/actor-runs/${id}/abort`);
    while (receiver.times.length < length + 2) await delay(1);
    if (turn < 0) continue;
    sinceCall.push(left - begun);
    sinceAnswer.push(Math.max(left - answered, 0));
  }
  connection.close();
  await server.stop();
  receiver.close();
  return {
    what: 'a webhook arrives after its event, p50',
    value: `${median(sinceCall).toFixed(1)} ms after the begin of the call that starts the run`,
    against: `${median(sinceAnswer).toFixed(1)} ms after the answer to that call`,
    target: `≤ ${MAX_LEAVE_MS} ms`,
    isMet: median(sinceCall) <= MAX_LEAVE_MS,
  };
}

async function benchBadReceivers(): Promise<Row[]> {
  const { server, actorId } = await startWaiting();
  const receivers: BenchReceiver[] = [];
  for (let index = 0; index < RECEIVERS; index += 1) {
    const status = index < HANGING ? undefined : index < HANGING + FAILING ? 500 : 200;
    const receiver = await openReceiver(status);
    receivers.push(receiver);
    await addWebhook(server.url, actorId, receiver.url);
  }
  const healthy = receivers.slice(HANGING + FAILING);
  const connections = Array.from({ length: 4 }, () => new Connection(server.url, headers));
  const begun = performance.now();
  const cpuBefore = cpuMsOf(server.pid);
  let left = EVENTS / EVENT_TYPES.length;
  await Promise.all(
    connections.map(async (connection) => {
      while ((left -= 1) >= 0) await startAndAbort(connection, actorId);
    }),
  );
  const called = performance.now() - begun;
  const patience = performance.now() + 110_000;
  while (healthy.some(({ times }) => times.length < EVENTS) && performance.now() < patience) await delay(20);
  const counts = healthy.map(({ times }) => times.length);
  const done = Math.max(...healthy.map(({ times }) => times.at(-1)!)) - begun;
  // Those that fail are called once each, too.
  const cpu = (cpuMsOf(server.pid) - cpuBefore) / (EVENTS * (RECEIVERS - HANGING));
  connections.forEach((connection) => connection.close());
  await server.stop();
  receivers.forEach((receiver) => receiver.close());
  return [
    {
      what: `${EVENTS} run events to ${RECEIVERS} receivers, of which ${HANGING} hang and ${FAILING} fail`,
      value: `the healthy ${healthy.length} have ${Math.min(...counts)} to ${Math.max(...counts)} after ${(done / 1000).toFixed(1)} s, ${cpu.toFixed(2)} ms of the server's CPU for each call`,
      against: `the calls took ${(called / 1000).toFixed(1)} s; those that hang do so for 120 s`,
      target: `${EVENTS} each, before the first time-out`,
      isMet: counts.every((count) => count === EVENTS) && done < 120_000,
    },
  ];
}
