// Query plans of the Signalbox API: everything that it reads is found by an index.
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../test/engines.ts';
import { assertPlans, recordStatements } from '../../test/query-plans.ts';
import { listKeyGroups } from '../actors/key-value-stores/store.ts';
import { listUsageOfAll } from '../actors/usage/store.ts';
import { listDependents } from '../flags/feature-flags/store-references.ts';
import {
  countRemovable,
  listOldFlags,
  listProjectsWithRemovable,
  readRemovalFacts,
  replaceRemovable,
} from '../flags/removable-flags/store.ts';
import { listFlagsUsing } from '../flags/segments/store-uses.ts';
import { listNotices, listNumbersSince, readPosition } from '../kernel/change/store-new-entries.ts';
import { findAccountWithAddedEmail } from '../host/users/store.ts';
import {
  deleteExpiredLinks,
  deleteLoginLinks,
  listInvitations,
} from '../kernel/identity/sessions/store-login-links.ts';
import {
  deleteOtherSessions,
  deleteSessionOf,
  findOpenedByLink,
  forgetOpenedByLink,
  listSessions,
  updateSessionSeen,
} from '../kernel/identity/sessions/store-sessions.ts';
import { findPasswordHash, updateMemberProfile } from '../kernel/identity/store-profile.ts';
import { listFirstDue } from '../kernel/jobs/due-store.ts';
import { listTokensBefore } from '../kernel/identity/store-tokens.ts';
import { deleteOldTokenHours, listTokenHours, saveTokenUses } from '../kernel/identity/token-uses/store.ts';
import {
  deleteOldTokenOperations,
  listSpendingOperations,
  listTokenRefusals,
} from '../kernel/identity/token-uses/store-operations.ts';
import { deleteOldPeaks, listFullest, listPeaks, savePeaks } from '../kernel/limits/store-peaks.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { listDeliveries } from '../kernel/webhooks/store-deliveries.ts';
import { readDeliveryBacklog } from '../kernel/webhooks/store-backlog.ts';
import {
  countUnfinishedRuns,
  listEndedRuns,
  listNewestRuns,
  listRunStates,
  listRunsThatFailed,
} from './actors/store-runs.ts';
import { countRunKinds, listRunsById, listRunsFound } from './actors/find-runs/store-find-runs.ts';
import { listRunInputs } from './actors/find-runs/store-run-inputs.ts';
import { findMemberPlace, listMembersByName } from './members/store.ts';
import { searchByTerms } from '../kernel/storage/search.ts';
import {
  countRunsSince,
  findLastDelivery,
  findLateWork,
  listAskedApprovals,
  listAskedReviews,
  listComingChanges,
  listExpiringTokens,
  listFailedActorHooks,
  listFailedHostHooks,
  listFailedRuns,
  sumEvaluations,
  sumTokenCalls,
} from './attention/store-causes.ts';
import { countExpiredLocks, listQueuesWithExpiredLocks } from './attention/store-expired-locks.ts';
import { deletePastSnoozes, deleteSnooze, listSnoozes, upsertSnooze } from './attention/store.ts';
import { readFlagEvaluations } from './flag-usage/store.ts';
import {
  countWaitingApprovals,
  listEvaluationsByDay,
  listNextChanges,
  listUsageOf,
} from './flags/store-states.ts';
import { listFlagsNamed } from './flags/store-named.ts';
import { findPreferences, lockPreferences, upsertPreferences } from './me/store.ts';
import { SEARCH_SOURCES } from './search/sources.ts';
import { listNewestRunIds } from './search/store-actor-records.ts';
import { findFlagIds } from './search/store-pasted.ts';
import { hasUnindexed, indexChanges, listEntryIds, listUnindexed, SEARCHED } from './search/store.ts';
import { parseQuery, stagesOf } from './search/terms.ts';

const ROWS = 5000;

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
    const numbers =
      testEngine.kind === 'sqlite'
        ? `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS}) select i from n`
        : `select generate_series(1, ${ROWS}) as i`;
    for (const statement of [
      `insert into members (id, username, email, role, custom_roles, created_at, updated_at)
         select 'm' || i, 'm' || i, 'm' || i || '@example.com', 'reader', '[]', i, i from (${numbers}) n`,
      `insert into sessions (hash, member_id, created_at, expires_at)
         select 'h' || i, 'm' || i, i, 1000000 + i from (${numbers}) n`,
      `insert into tokens (id, member_id, is_service, name, description, hash, ending, custom_roles, created_at, modified_at, version)
         select 't' || i, 'm' || i, i % 2, '', '', 't' || i, '', '[]', i, i, 1 from (${numbers}) n`,
      `insert into token_hours (token_id, hour, api, category, calls, refused)
         select 't' || i, i, 'flags', 'global', 1, 0 from (${numbers}) n`,
      `insert into token_operations (token_id, hour, api, category, operation, calls, refused)
         select 't' || i, i, 'flags', 'global', 'getFlags', 1, 0 from (${numbers}) n`,
      `insert into token_refusals (token_id, at, call_id, api, category, operation)
         select 't' || i, i, 'c' || i, 'flags', 'global', 'getFlags' from (${numbers}) n`,
      `insert into limit_peaks (who, category, hour, most)
         select 'm' || i, 'host.core', i, i from (${numbers}) n`,
      `insert into preferences (member_id, value, updated_at) select 'm' || i, '{}', i from (${numbers}) n`,
      `insert into events (id, at, action, resource, kind, name)
         select 'e' || i, i, 'updateOn', 'proj/p', 'flag', 'f' from (${numbers}) n`,
      `insert into login_links (hash, member_id, expires_at, purpose)
         select 'l' || i, 'm' || i, i, 'invitation' from (${numbers}) n`,
      `insert into due (id, kind, payload, due_at, attempts, created_at)
         select 'd' || i, 'kind', '', i, 0, i from (${numbers}) n`,
      `insert into teams (id, key, name, description, role_attributes, version, created_at, updated_at)
         select 't' || i, 't' || i, 'Team ' || i, '', '{}', 1, i, i from (${numbers}) n`,
    ])
      await sql.raw(statement).execute(engine.db);
  });

  test('every statement finds its rows by an index', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    await listSessions(db, 'm7', 0);
    await deleteSessionOf(db, 'm7', 'h7');
    await deleteOtherSessions(db, 'm8', 'h9');
    await updateSessionSeen(db, 'h9', 1);
    await findPreferences(db, 'm7');
    await db.transaction().execute(async (tx) => {
      await lockPreferences(tx, 'm7');
      await upsertPreferences(tx, 'm7', {}, 1);
    });
    await readPosition(engine);
    await listNumbersSince(db, { upTo: ROWS - 5 });
    if (engine.kind === 'postgres') await listNumbersSince(db, { before: Number.MAX_SAFE_INTEGER });
    await listNotices(db, [1, 2, 3]);
    const last = { createdAt: 100, id: 't100' };
    await listTokensBefore(db, {}, undefined, 10);
    await listTokensBefore(db, {}, last, 10);
    await listTokensBefore(db, { visibleTo: 'm7' }, last, 10);
    const hours = [{ hour: 7, api: 'flags', category: 'global', calls: 1, refused: 0 }];
    const operations = [{ ...hours[0]!, operation: 'getFlags' }];
    const refusals = [{ at: 7, callId: 'c7', api: 'flags', category: 'global', operation: 'getFlags' }];
    await saveTokenUses(db, [
      { tokenId: 't7', at: 7, address: '', api: 'flags', hours, operations, refusals },
    ]);
    await listTokenHours(db, 't7', 0);
    await deleteOldTokenHours(db, ROWS, AbortSignal.timeout(60_000));
    for (const memberId of ['m7', undefined]) {
      await listSpendingOperations(db, { memberId, since: ROWS - 5, limit: 20 });
      await listTokenRefusals(db, { memberId, since: ROWS - 5, limit: 20 });
    }
    await deleteOldTokenOperations(db, ROWS, AbortSignal.timeout(60_000));
    await savePeaks(db, [{ who: 'm7', category: 'host.core', hour: 7, most: 3 }]);
    await listPeaks(db, await listFullest(db, ROWS - 5, 5), ROWS - 5);
    await listPeaks(db, ['m7'], ROWS - 5);
    await deleteOldPeaks(db, ROWS);
    await assertPlans(engine, [...seen.values()], {
      atLeast: 28,
      hasFewRows: true,
      // The rows that a statement brings along are no table.
      scan: /SCAN (?!CONSTANT|used)|Seq Scan on /,
    });
  });

  test('members, their links and what they change about themselves are found by an index', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    const after = await findMemberPlace(db, 'm7');
    for (const role of [undefined, 'reader'] as const) {
      await listMembersByName(db, { role, limit: 10 });
      await listMembersByName(db, { role, after, limit: 10 });
    }
    await listInvitations(db, ['m7', 'm8']);
    await deleteLoginLinks(db, 'm7', 1);
    await deleteExpiredLinks(db, 1);
    await findOpenedByLink(db, 'h7');
    await forgetOpenedByLink(db, 'h7');
    await findPasswordHash(db, 'm7');
    const profile = { firstName: 'A', lastName: undefined, email: 'a@example.com' };
    await updateMemberProfile(db, { id: 'm7' }, profile, 1);
    await findAccountWithAddedEmail(db, 'a@example.com');
    await assertPlans(engine, [...seen.values()], { atLeast: 10, hasFewRows: true });
  });

  test('work that waits is counted from the beginning of an index', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    await listFirstDue(db, 10);
    await readDeliveryBacklog(db, 1, 10);
    const scan = /SCAN (?!\w+ USING (?:COVERING )?INDEX)|Seq Scan on |SORT|TEMP B-TREE/;
    await assertPlans(engine, [...seen.values()], { atLeast: 3, hasFewRows: true, scan });
  });

  test('a search finds its rows by an index, and so does what keeps the index', async () => {
    const { db } = engine;
    // The last rows stay as changes that are not indexed yet.
    for (let done = 0; done < 2 * ROWS - 1000; done += 1000) await indexChanges(db, SEARCH_SOURCES, 1000);
    const seen = recordStatements(engine);
    await hasUnindexed(db);
    await listUnindexed(db, 500);
    await indexChanges(db, SEARCH_SOURCES, 100);
    for (const terms of stagesOf(parseQuery('team 7'), { kind: 'team', scopes: ['a', 'b'] }))
      await listEntryIds(db, [1, ...(await searchByTerms(engine, SEARCHED, terms, 10))]);
    for (const source of SEARCH_SOURCES.values()) await source.read(db, ['7', '8']);
    await listNewestRunIds(db, 'm7', ['a'], 5);
    for (const what of ['flag', 'segment'] as const) await findFlagIds(db, what, 'p', 'k');
    await assertPlans(engine, [...seen.values()], {
      atLeast: 20,
      hasFewRows: true,
      // The rows to insert, the index of words, and the matches, which are sorted.
      scan: /SCAN (?!CONSTANT|\d+-ROW VALUES|search_entries_words VIRTUAL TABLE INDEX|found)|Seq Scan on /,
    });
  });

  test('evaluations of a flag, and receivers with their deliveries, are found by an index', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    await readFlagEvaluations(db, { environmentId: 'e', flagKey: 'f', since: 0 });
    await listDeliveries(db, { api: 'flags', hookId: 'h' }, { limit: 200, before: 100 });
    await assertPlans(engine, [...seen.values()], {
      atLeast: 3,
      hasFewRows: true,
      // The rows that were found are added up.
      scan: /SCAN (?!CONSTANT|recent)|Seq Scan on /,
    });
  });

  test('keys of a store are found by an index, also where those that begin alike are one row', async () => {
    const seen = recordStatements(engine);
    const page = { prefix: 'a-', delimiter: '-', limit: 10 };
    for (const after of [undefined, 'a-b-']) await listKeyGroups(engine.db, 's', { ...page, after });
    await assertPlans(engine, [...seen.values()], {
      atLeast: 1,
      hasFewRows: true,
      // The rows that were found so far.
      scan: /SCAN (?!CONSTANT|walk)|Seq Scan on /,
    });
  });

  test('runs of an account are found by an index', async () => {
    const seen = recordStatements(engine);
    await countUnfinishedRuns(engine.db, 1000);
    await listRunStates(engine.db, 'm7', ['a', 'b']);
    await listRunsThatFailed(engine.db, 'm7', 0);
    const search = { statuses: ['FAILED' as const], origins: ['API' as const], build: '0.1.1' };
    for (const scope of [{}, { since: 1 }, { actorId: 'a' }, { taskId: 't' }]) {
      await countRunKinds(engine.db, { userId: 'm7', ...scope });
      await listRunsFound(engine.db, { userId: 'm7', ...scope, ...search }, { offset: 0, limit: 10 });
    }
    const page = { before: { startedAt: 5, id: 'a' }, limit: 10 };
    for (const scope of [{}, { actorId: 'a' }, { ids: ['a', 'b'] }])
      await listRunInputs(engine.db, { userId: 'm7', ...scope }, page);
    await listRunsById(engine.db, ['a', 'b']);
    await listEndedRuns(engine.db, { actorId: 'a', since: 0 }, 10);
    await listEndedRuns(engine.db, { actorId: 'a', userId: 'm7', since: 0 }, 10);
    await listNewestRuns(engine.db, 'm7', { since: 0, before: undefined, limit: 10 });
    await listNewestRuns(engine.db, 'm7', { since: 0, before: { startedAt: 5, id: 'a' }, limit: 10 });
    await listNewestRuns(engine.db, undefined, { since: 0, before: undefined, limit: 10 });
    await listNewestRuns(engine.db, undefined, { since: 0, before: { startedAt: 5, id: 'a' }, limit: 10 });
    const last = { userId: 'm7', day: 5, service: 'DATASET_READS' };
    for (const end of [undefined, last]) await listUsageOfAll(engine.db, 0, { before: end, limit: 10 });
    await assertPlans(engine, [...seen.values()], {
      atLeast: 8,
      hasFewRows: true,
      scan: /SCAN (?!CONSTANT|some)|Seq Scan on /,
    });
  });

  test('what needs attention is found by an index', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    await listAskedApprovals(db, 'm7');
    await listComingChanges(db, 0, 1);
    await listFailedRuns(db, 'm7', 0);
    await listQueuesWithExpiredLocks(db, 'm7', { after: 0, upTo: 1 });
    await countExpiredLocks(db, 7, { after: 0, upTo: 1 });
    await listFailedActorHooks(db, 'm7', 0);
    await listFailedHostHooks(db, 'm7');
    await findLastDelivery(db, 'flags', 'h');
    await listExpiringTokens(db, 'm7', 0, 1);
    await listAskedReviews(db, 'm7');
    await findLateWork(db, 1);
    await sumEvaluations(db, ['p'], 0);
    await countRunsSince(db, 'm7', 0);
    await sumTokenCalls(db, 'm7', 0);
    await listSnoozes(db, 'm7', 0);
    await db
      .transaction()
      .execute((tx) => upsertSnooze(tx, 'm7', { id: 'x', until: 2 }, { now: 1, max: 200 }));
    await deleteSnooze(db, 'm7', 'x');
    await deletePastSnoozes(db, 1);
    await listProjectsWithRemovable(db, 10);
    await countRemovable(db, 'p');
    await assertPlans(engine, [...seen.values()], {
      atLeast: 20,
      hasFewRows: true,
      scan: /SCAN (?!CONSTANT|own|some)|Seq Scan on /,
    });
  });

  test('what lists show of flags is found by an index, and so are flags to be removed', async () => {
    const seen = recordStatements(engine);
    const { db } = engine;
    await listEvaluationsByDay(db, 'e', ['a', 'b'], 0);
    await listNextChanges(db, 'e', ['a', 'b']);
    await countWaitingApprovals(db, 'e', ['a', 'b']);
    await listFlagsNamed(db, ['p', 'q'], ['a', 'b'], 301);
    await listUsageOf(db, 'e', ['a', 'b']);
    await listOldFlags(db, { after: 'a', createdBefore: 1, limit: 50 });
    const settled = { id: 'f', projectId: 'p', isTemporary: true, createdAt: 1 };
    await readRemovalFacts(db, [settled, { ...settled, id: 'g' }]);
    await db.transaction().execute(async (tx) => {
      const ready = [{ flagId: 'f', projectId: 'p', since: 1 }];
      await replaceRemovable(tx, { after: 'a', upTo: 'b' }, ready);
      await replaceRemovable(tx, { after: 'b', upTo: undefined }, []);
    });
    await listFlagsUsing(db, 'e', 's', 10);
    await listDependents(db, 'f', undefined, 10);
    await assertPlans(engine, [...seen.values()], {
      atLeast: 14,
      hasFewRows: true,
      scan: /SCAN (?!CONSTANT|some)|Seq Scan on /,
    });
  });
});
