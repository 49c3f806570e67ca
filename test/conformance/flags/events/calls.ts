// Calls for tests of events: payloads as SDKs send them, and what the server has counted.
import { gzipSync } from 'node:zlib';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { openProject, seenBy, type KeyProject } from '../delivery/keys-calls.ts';

export const SDK = 'NodeJSClient/9.13.7';
const AGENT = { 'x-launchdarkly-user-agent': SDK, 'x-launchdarkly-event-schema': '4' };

export interface SummarizedFlag {
  variation?: number;
  version?: number;
  count?: number;
  default?: unknown;
  unknown?: boolean;
}

/** A summary event with one counter for each flag. */
export function summaryOf(flags: Record<string, SummarizedFlag>, startDate = 1): Json {
  const features = Object.entries(flags).map(([key, { default: value = false, ...counter }]) => [
    key,
    { default: value, contextKinds: ['user'], counters: [{ value: true, count: 1, version: 1, ...counter }] },
  ]);
  return { kind: 'summary', startDate, endDate: startDate + 1, features: Object.fromEntries(features) };
}

export interface Sending {
  /** The SDK key by default. */
  path?: string;
  key?: string | undefined;
  id?: string;
  headers?: Record<string, string>;
  isPacked?: boolean;
}

export function eventCalls(server: TestServer, home: KeyProject) {
  const { buffer } = server.app.kernel.services.flagEvents;
  return {
    send(
      body: unknown,
      { path = '/bulk', key = home.keys.sdk, id, headers = {}, isPacked }: Sending = {},
    ): Promise<Answer> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const all = {
        ...AGENT,
        ...(id !== undefined && { 'x-launchdarkly-payload-id': id }),
        ...(isPacked === true && { 'content-encoding': 'gzip' }),
        ...headers,
      };
      const bytes = isPacked === true ? gzipSync(text) : text;
      return home.ask(path, path === '/bulk' || key !== home.keys.sdk ? key : undefined, all, {
        method: 'POST',
        body: bytes,
      });
    },
    save: () => buffer.save(),
    /** `flag variation version sdk` and the count of each row, after everything is saved. */
    async counted(environment = home.keys.client): Promise<Record<string, number>> {
      await buffer.save();
      const rows = await server.app.kernel.db
        .selectFrom('flag_evaluations')
        .innerJoin('environments', 'environments.id', 'flag_evaluations.environment_id')
        .where('environments.client_id', '=', environment)
        .selectAll('flag_evaluations')
        .orderBy('flag_key')
        .orderBy('variation')
        .execute();
      const counts: Record<string, number> = {};
      for (const { flag_key, variation, version, sdk, count } of rows) {
        const name = `${flag_key || '?'} ${variation} ${version} ${sdk}`;
        counts[name] = (counts[name] ?? 0) + count;
      }
      return counts;
    },
    async statusOf(flag: string): Promise<Json> {
      await buffer.save();
      const { _links, ...status } = await home.rest(`flag-statuses/${home.project}/test/${flag}`);
      return status;
    },
  };
}

export type EventCalls = ReturnType<typeof eventCalls>;

export interface EventProject {
  home: KeyProject;
  events: EventCalls;
}

/** A project with the flag `shown`, which all kinds of keys can see. */
export async function openEventProject(server: TestServer): Promise<EventProject> {
  const home = await openProject(server);
  await home.flags.make('shown', seenBy(true, true));
  return { home, events: eventCalls(server, home) };
}

/** The value of a counter, 0 if it is absent. */
export async function metricOf(server: TestServer, name: string, labels: string): Promise<number> {
  const { text } = await server.call('/metrics', { token: null });
  const line = text.split('\n').find((one) => one.startsWith(`signalbox_${name}{${labels}} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** By how much counters rise while something is done. */
export async function riseOf(
  server: TestServer,
  counters: readonly (readonly [name: string, labels: string])[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const read = () => Promise.all(counters.map(([name, labels]) => metricOf(server, name, labels)));
  const before = await read();
  await work();
  const after = await read();
  return after.map((value, index) => value - before[index]!);
}
