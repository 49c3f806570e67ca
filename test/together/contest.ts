// Many clients that change the same thing at the same time, in counted rounds, and what must be true of it afterwards.
import assert from 'node:assert/strict';
import { rounds as roundsOf } from '../long.ts';
import type { Answer, Json, TestServer } from '../server.ts';

export const CLIENTS = 8;
/** More of them find what is rare. */
export const ROUNDS = roundsOf(6, 100);

/** One call of one client. */
export type Turn = (client: number, round: number) => Promise<Answer>;

export interface Outcome {
  answers: Answer[];
  /** How many calls had one of these statuses. */
  count(...statuses: number[]): number;
  /** What was recorded of all this, in order. */
  entries: Entry[];
}

export interface Entry {
  action: string;
  resource: string;
  kind: string;
  before: unknown;
  after: unknown;
}

export interface Rules {
  /** The statuses that are right. */
  allowed?: readonly number[];
  /** Whether callers make their change conditional, so that they may be told 409 because of others. */
  isConditional?: boolean;
  /** Whether every entry begins where the one before it has ended; not where one thing changes along with another. */
  isChained?: boolean;
  rounds?: number;
}

/** What is told where others were in the way, and in no words for what the caller wants. */
const CONTESTED = /Someone else changed|Others keep changing|already one with the same key|still needs it/;

/**
 * Every client takes its turns one after the other, and all clients do so at once. Fails for a status that is not right,
 * for a call that was turned away only because of others, and for an entry of the audit log that does not begin where the
 * one before it has ended, as then a change was lost.
 */
export async function contest(
  server: TestServer,
  turn: Turn,
  { allowed = [200], isConditional = false, isChained = true, rounds: most = ROUNDS }: Rules = {},
): Promise<Outcome> {
  const since = await lastEntry(server);
  const answers: Answer[] = [];
  const play = async (client: number) => {
    for (let round = 0; round < most; round += 1) answers.push(await turn(client, round));
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => play(client)));
  const wrong = answers.filter(
    (answer) => !allowed.includes(answer.status) || (!isConditional && isTurnedAway(answer)),
  );
  const told = wrong.slice(0, 3).map(({ status, text }) => `${status} ${text.slice(0, 300)}`);
  const logged = server.log.filter(({ level }) => Number(level) >= 50).slice(-3);
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${answers.length} calls: ${told.join('\n')}\n${JSON.stringify(logged)}`,
  );
  const entries = await entriesSince(server, since);
  if (isChained) checkChains(entries);
  const count = (...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status)).length;
  return { answers, count, entries };
}

function isTurnedAway(answer: Answer): boolean {
  return answer.status === 409 && CONTESTED.test(answer.text);
}

async function lastEntry({ app: { kernel } }: TestServer): Promise<number> {
  const last = await kernel.db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();
  return last[0]?.seq ?? 0;
}

async function entriesSince({ app: { kernel } }: TestServer, since: number): Promise<Entry[]> {
  const rows = await kernel.db
    .selectFrom('events')
    .select(['action', 'resource', 'kind', 'before', 'after'])
    .where('seq', '>', since)
    .orderBy('seq')
    .execute();
  const parse = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
  return rows.map(({ before, after, ...entry }) => ({
    ...entry,
    before: parse(before),
    after: parse(after),
  }));
}

/** What the thing is called in the representation that the entry holds; one resource of a policy may be shown in several. */
function nameOf({ resource, kind, before, after }: Entry): string {
  const shown = (after ?? before ?? {}) as { _links?: { self?: { href?: string } }; id?: string };
  return `${kind} ${shown._links?.self?.href ?? resource}`;
}

function checkChains(entries: readonly Entry[]): void {
  for (const [name, chain] of Map.groupBy(entries, nameOf)) {
    for (const [index, { before }] of chain.entries()) {
      if (index > 0)
        assert.deepEqual(
          withoutCounts(before),
          withoutCounts(chain[index - 1]!.after),
          `${name}: entry ${index} of ${chain.length}`,
        );
    }
  }
}

/** Counts go up without an entry; and lists are of no order here. */
function withoutCounts(shown: unknown): unknown {
  const { _triggerCount, _lastTriggeredAt, items, ...rest } = (shown ?? {}) as Json;
  if (items === undefined) return rest;
  return { ...rest, items: items.toSorted((one: Json, other: Json) => (one['_id'] < other['_id'] ? -1 : 1)) };
}
