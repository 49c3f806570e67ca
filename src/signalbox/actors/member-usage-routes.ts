// What the members of the server used in the last days, for those who administer it: runs, compute, and uses of storages.
import { listUsageOfAll, type AccountDailyUsage } from '../../actors/usage/store.ts';
import { route } from '../../kernel/http/route.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ADMINISTER_SERVER } from '../system/access.ts';
import { addUpRuns, MAX_ADDED_RUNS } from './add-up-runs.ts';
import { firstDayOf, nothingUsed, shareOf, UsageQuery, USED, type Used } from './usage-model.ts';

const MAX_MEMBERS = 200;
/** Rows of daily usage that are added up, and how many are read at once. */
const MAX_ROWS = 40_000;
const BATCH = 2000;

const STORAGE_USE = {
  reads: Type.Integer({
    description: 'Of datasets, key-value stores and request queues, lists of keys included',
  }),
  writes: Type.Integer(),
  sentBytes: Type.Integer({ description: 'Of what was read, sent to callers' }),
};

const MemberUsage = Type.Object(
  {
    since: Type.Integer(),
    total: Type.Object({ ...USED, ...STORAGE_USE }),
    members: Type.Array(
      Type.Object({
        ...USED,
        ...STORAGE_USE,
        id: Type.String({ description: 'Of the account that the runs and storages belong to' }),
        username: Type.Optional(Type.String({ description: 'Absent where the account is gone' })),
        name: Type.Optional(Type.String()),
        isService: Type.Optional(Type.Boolean({ description: 'It is the account of a service token' })),
      }),
      { description: `By compute units, the most first; at most ${MAX_MEMBERS}` },
    ),
    isPartial: Type.Boolean({
      description: `There are more than ${MAX_ADDED_RUNS} runs, of which the newest are added up, more members, or more uses of storages`,
    }),
  },
  { $id: 'MemberUsage' },
);

const getMemberUsage = route(
  {
    id: 'getMemberUsage',
    method: 'GET',
    path: '/runs/usage/members',
    summary: 'Get what the runs and storages of all members used',
    description: 'For those who administer the server. A run belongs to the account that started it.',
    access: { action: ADMINISTER_SERVER },
    query: UsageQuery,
    reply: { 200: MemberUsage },
  },
  async (call, { db, services }) => {
    call.requirePermission('acct');
    const since = firstDayOf(call.query, call.now);
    const byMember = new Map<string, UsedByMember>();
    const of = (id: string) => shareOf(byMember, id, nothing);
    const runs = await addUpRuns(db, { since, now: call.now }, ({ userId }) => [of(userId)]);
    await services.usage.save();
    const isCut = await addUpStorages(db, since, of);
    const total = { ...runs.total, reads: 0, writes: 0, sentBytes: 0 };
    for (const { reads, writes, sentBytes } of byMember.values()) {
      total.reads += reads;
      total.writes += writes;
      total.sentBytes += sentBytes;
    }
    const shown = [...byMember].toSorted(byUse).slice(0, MAX_MEMBERS);
    const accounts = await listAccounts(
      db,
      shown.map(([id]) => id),
    );
    return {
      since,
      total,
      members: shown.map(([id, used]) => {
        const { username, firstName, lastName, isService } = accounts.get(id) ?? {};
        const name = [firstName, lastName].filter((part) => part !== undefined && part !== '').join(' ');
        return {
          id,
          ...(username !== undefined && { username }),
          ...(name !== '' && { name }),
          ...(isService && { isService }),
          ...used,
        };
      }),
      isPartial: runs.isPartial || isCut || byMember.size > MAX_MEMBERS,
    };
  },
);

interface UsedByMember extends Used {
  reads: number;
  writes: number;
  sentBytes: number;
}

const nothing = (): UsedByMember => ({ ...nothingUsed(), reads: 0, writes: 0, sentBytes: 0 });

type MemberPart = [id: string, used: UsedByMember];

function byUse([, one]: MemberPart, [, other]: MemberPart): number {
  return (
    other.computeUnits - one.computeUnits ||
    other.runs - one.runs ||
    other.reads + other.writes - one.reads - one.writes
  );
}

/** Whether there are more rows than are added up. */
async function addUpStorages(db: Db, since: number, of: (id: string) => UsedByMember): Promise<boolean> {
  let before: AccountDailyUsage | undefined;
  for (let added = 0; added < MAX_ROWS; added += BATCH) {
    const rows = await listUsageOfAll(db, since, { before, limit: BATCH });
    for (const { userId, service, quantity } of rows) of(userId)[useOf(service)] += quantity;
    if (rows.length < BATCH) return false;
    before = rows.at(-1);
  }
  return true;
}

/** By the names of the services. */
function useOf(service: string): 'reads' | 'writes' | 'sentBytes' {
  if (service.endsWith('_WRITES')) return 'writes';
  return service.startsWith('DATA_TRANSFER') ? 'sentBytes' : 'reads';
}

export const memberUsageRoutes = [getMemberUsage];
