// The required status checks that a commit lacks.
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findAppBySlug } from '../apps/store.ts';
import type { StatusTarget } from '../statuses/store.ts';
import type { OpenCheck, RequiredCheck } from './rule.ts';
import { listReportedStatuses, type ReportedStatus } from './store.ts';

/** The newest status of a context counts: where an app is required, that of the app. */
export async function findOpenChecks(
  db: Db,
  target: StatusTarget,
  checks: readonly RequiredCheck[],
): Promise<OpenCheck[]> {
  const contexts = [...new Set(checks.map(({ context }) => context))];
  const statuses = await listReportedStatuses(db, target, contexts);
  const creators = statuses.map(({ creatorId }) => creatorId);
  const accounts = await listAccounts(db, [...new Set(creators)]);
  const numbers = await listAppNumbers(db, [...accounts.values()]);
  return checks.flatMap(({ context, appId }): OpenCheck[] => {
    const own = statuses.filter(
      (status) => status.context === context && (appId === null || numbers.get(status.creatorId) === appId),
    );
    const state = newestOf(own)?.state;
    if (state === 'success') return [];
    return [{ context, state: state === undefined ? 'expected' : state === 'pending' ? state : 'failing' }];
  });
}

/** By account: bots have the number of their app, and service tokens their own. */
async function listAppNumbers(db: Db, accounts: readonly Account[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const { id, number, username, isBot } of accounts) {
    const app = isBot ? await findAppBySlug(db, username.replace(/\[bot\]$/, '')) : undefined;
    numbers.set(id, app?.number ?? number);
  }
  return numbers;
}

function newestOf(statuses: readonly ReportedStatus[]): ReportedStatus | undefined {
  return statuses.reduce<ReportedStatus | undefined>(
    (newest, one) => (newest === undefined || one.number > newest.number ? one : newest),
    undefined,
  );
}
