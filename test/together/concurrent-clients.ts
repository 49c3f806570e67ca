// Runs many clients that change the same resource concurrently, in counted rounds, and checks the result.
import assert from 'node:assert/strict';
import { rounds as roundsOf } from '../long.ts';
import type { Answer, Json, TestServer } from '../server.ts';

export const CLIENTS = 8;
/** More rounds find rarer errors. */
export const ROUNDS = roundsOf(6, 100);

/** One call of one client. */
export type ClientCall = (client: number, round: number) => Promise<Answer>;

export interface RunOutcome {
  answers: Answer[];
  /** The number of calls with one of these statuses. */
  count(...statuses: number[]): number;
  /** The audit entries of the run, in order. */
  entries: RecordedEntry[];
}

export interface RecordedEntry {
  action: string;
  resource: string;
  kind: string;
  before: unknown;
  after: unknown;
}

export interface RunOptions {
  /** The expected statuses. */
  allowed?: readonly number[];
  /** Whether calls are conditional, so that 409 because of other clients is expected. */
  isConditional?: boolean;
  /**
   * Whether the `before` of every entry must equal the `after` of the previous one; not for changes that affect other
   * resources.
   */
  isChained?: boolean;
  rounds?: number;
}

/** Messages about conflicts with other calls, which clients should not see. */
const CONTESTED = /Someone else changed|Others keep changing|already one with the same key|still needs it/;

/**
 * Each client makes its calls one after the other; all clients run concurrently. Fails for an unexpected status, for a
 * call that failed only because of other clients, and for an audit entry whose `before` differs from the previous
 * `after`, because then a change was lost.
 */
export async function runClients(
  server: TestServer,
  call: ClientCall,
  { allowed = [200], isConditional = false, isChained = true, rounds: most = ROUNDS }: RunOptions = {},
): Promise<RunOutcome> {
  const since = await lastEntry(server);
  const answers: Answer[] = [];
  const runClient = async (client: number) => {
    for (let round = 0; round < most; round += 1) answers.push(await call(client, round));
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => runClient(client)));
  const wrong = answers.filter(
    (answer) => !allowed.includes(answer.status) || (!isConditional && isContested(answer)),
  );
  const samples = wrong.slice(0, 3).map(({ status, text }) => `${status} ${text.slice(0, 300)}`);
  const logged = server.log.filter(({ level }) => Number(level) >= 50).slice(-3);
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${answers.length} calls: ${samples.join('\n')}\n${JSON.stringify(logged)}`,
  );
  const entries = await entriesSince(server, since);
  if (isChained) checkChains(entries);
  const count = (...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status)).length;
  return { answers, count, entries };
}

function isContested(answer: Answer): boolean {
  return answer.status === 409 && CONTESTED.test(answer.text);
}

async function lastEntry({ app: { kernel } }: TestServer): Promise<number> {
  const last = await kernel.db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();
  return last[0]?.seq ?? 0;
}

async function entriesSince({ app: { kernel } }: TestServer, since: number): Promise<RecordedEntry[]> {
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

/** The name of the recorded representation; one resource of a policy may have several. */
function nameOf({ resource, kind, before, after }: RecordedEntry): string {
  const shown = (after ?? before ?? {}) as { _links?: { self?: { href?: string } }; id?: string };
  return `${kind} ${shown._links?.self?.href ?? resource}`;
}

function checkChains(entries: readonly RecordedEntry[]): void {
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

/** Counters rise without an entry, and the order of lists does not matter here. */
function withoutCounts(shown: unknown): unknown {
  const { _triggerCount, _lastTriggeredAt, items, ...rest } = (shown ?? {}) as Json;
  if (items === undefined) return rest;
  return { ...rest, items: items.toSorted((one: Json, other: Json) => (one['_id'] < other['_id'] ? -1 : 1)) };
}
