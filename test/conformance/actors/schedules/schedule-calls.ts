// Calls about schedules, for tests that move the clock and need no programs.
import assert from 'node:assert/strict';
import { DUE } from '../../../../src/kernel/jobs/due-store.ts';
import { eventually } from '../../../eventually.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { giveActor, giveBuild } from '../runs/run-rows.ts';

/** All calls about one schedule, by method and the end of the path. */
export const CALLS_OF_SCHEDULE = [
  ['GET', ''],
  ['PUT', ''],
  ['DELETE', ''],
  ['GET', '/log'],
  ['POST', '/invoke'],
] as const;

/** An Actor that can be started; its runs wait for ever on a server with `nodeRuns: 0`. */
export async function giveBuiltActor(server: TestServer, options: BuiltActor = {}): Promise<string> {
  const { inputSchema, definition = {}, ...given } = options;
  const actor = await giveActor(server, given);
  await giveBuild(server, actor, { inputSchema, definition });
  return actor.id;
}

interface BuiltActor {
  token?: string;
  name?: string;
  isPublic?: boolean;
  inputSchema?: unknown;
  definition?: Record<string, unknown>;
}

export function scheduleCalls(server: () => TestServer) {
  const call = (path: string, init?: CallInit) => server().call(`/v2${path}`, init);

  async function createSchedule(body: unknown, init: CallInit = {}): Promise<Json> {
    const answer = await call('/schedules', { method: 'POST', body, ...init });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.data as Json;
  }

  async function changeSchedule(id: string, body: unknown, init: CallInit = {}): Promise<Json> {
    const answer = await call(`/schedules/${id}`, { method: 'PUT', body, ...init });
    assert.equal(answer.status, 200, answer.text);
    return answer.json.data as Json;
  }

  const getSchedule = async (id: string): Promise<Json> => (await call(`/schedules/${id}`)).json.data as Json;
  const logOf = async (id: string): Promise<Json[]> => (await call(`/schedules/${id}/log`)).json['data'];
  const runsOf = async (actorId: string): Promise<Json[]> =>
    (await call(`/actors/${actorId}/runs`)).json.data.items as Json[];

  /** Moves the clock on, and wakes the workers. */
  async function goTo(moment: number | string): Promise<void> {
    server().clock.goTo(typeof moment === 'string' ? Date.parse(moment) : moment);
    await server().app.kernel.engine.notify(DUE);
  }

  /** Waits until the log has so many lines that a firing has ended. */
  async function fired(id: string, times: number): Promise<Json[]> {
    let lines: Json[] = [];
    await eventually(async () => {
      lines = await logOf(id);
      return lines.filter(({ level }) => level === 'INFO').length >= times;
    }, `firing ${times} of the schedule`);
    return lines;
  }

  return { call, createSchedule, changeSchedule, getSchedule, logOf, runsOf, goTo, fired };
}
