// Routes of the scheduled changes of a flag in an environment: list, create, get, patch, delete.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Change } from '../../kernel/change/change.ts';
import { requireFlagApproval } from '../feature-flags/change/permissions.ts';
import { listKinds, inPostedBody } from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { PageQuery, sliceOf } from '../lists/list-query.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../patch/patch.ts';
import { checkPlan } from '../planned-changes/apply-plan.ts';
import { readFlagInEnvironment, readItem } from '../planned-changes/find-flag-in-environment.ts';
import {
  ByFlagInEnvironment,
  ByFlagInEnvironmentAndId,
  FLAG_IN_ENVIRONMENT,
  requireComment,
  refOf,
  type FlagInEnvironment,
  recordFlagChange,
} from '../planned-changes/flag-in-environment.ts';
import { tryPlan } from '../planned-changes/conflicts.ts';
import {
  editScheduledChange,
  MAX_CHANGES,
  requireFuture,
  ScheduledChangePost,
  ScheduledChangeSchema,
  scheduledChangeKinds,
  toScheduledChange,
  type ScheduledChange,
} from './model.ts';
import {
  insertScheduledChange,
  deleteScheduledChange,
  findScheduledChange,
  listScheduledChanges,
  updateScheduledChange,
} from './store.ts';

const PATH = `${FLAG_IN_ENVIRONMENT}/scheduled-changes` as const;
const action = 'updateScheduledChanges';

const IgnoreConflicts = Type.Object({
  ignoreConflicts: Type.Boolean({
    default: false,
    description: 'Even if another pending change can then no longer be made',
  }),
});

const list = route(
  {
    id: 'getFlagConfigScheduledChanges',
    method: 'GET',
    path: PATH,
    summary: 'List the scheduled changes of a flag',
    access: { action: 'viewProject' },
    params: ByFlagInEnvironment,
    query: Type.Object(PageQuery),
    list: ScheduledChangeSchema,
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    const slice = sliceOf(call.query, MAX_CHANGES, MAX_CHANGES);
    const page = await listScheduledChanges(db, refOf(target), slice);
    return page.map((change) => toScheduledChange(change, target));
  },
);

const post = route(
  {
    id: 'postFlagConfigScheduledChanges',
    method: 'POST',
    path: PATH,
    summary: 'Schedule a change of a flag',
    description:
      'It is made at its time in the name of the caller, with the permissions they have then, and no more than their token has now.',
    access: { action },
    params: ByFlagInEnvironment,
    query: IgnoreConflicts,
    body: ScheduledChangePost,
    reply: { 201: ScheduledChangeSchema },
  },
  async (call, kernel) => {
    const { changes, identity } = kernel;
    const { executionDate: executionAt, instructions, comment } = call.body;
    requireFuture(executionAt, call.now);
    const shown = await inPostedBody(() =>
      changes.run(call, async (tx) => {
        const { db } = tx;
        const target = await readFlagInEnvironment(call, db, call.params, 'hold');
        call.requirePermission(target.resource);
        requireComment(target.environment, comment);
        requireFlagApproval(call, target.environment, target.flag, target.resource);
        await checkPlan(tx, target, { instructions }, { comment, ...call.query });
        const { total } = await listScheduledChanges(db, refOf(target), { offset: 0, limit: 1 });
        if (total >= MAX_CHANGES)
          throw problem('body', `would be one more than ${MAX_CHANGES} scheduled changes`);
        const change = await insertScheduledChange(
          db,
          {
            ...refOf(target),
            maintainer: await identity.initiatorIn(db, call.caller, call.now),
            executionAt,
            instructions,
            ...(comment !== undefined && { comment }),
          },
          call.now,
        );
        const after = toScheduledChange(change, target);
        recordFlagChange(tx, target, action, { verb: 'scheduled a change of', after, comment });
        return after;
      }),
    );
    return reply(201, shown, { location: shown._links.self.href });
  },
);

const get = route(
  {
    id: 'getFeatureFlagScheduledChange',
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Get a scheduled change',
    access: { action: 'viewProject' },
    params: ByFlagInEnvironmentAndId,
    reply: { 200: ScheduledChangeSchema },
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    return await show(db, await read(db, call.params.id, target), target, call.now);
  },
);

const patch = route(
  {
    id: 'patchFlagConfigScheduledChange',
    method: 'PATCH',
    path: `${PATH}/{id}`,
    summary: 'Change what is scheduled, or when',
    description: `Instructions:\n\n${listKinds(scheduledChangeKinds)}`,
    access: { action },
    params: ByFlagInEnvironmentAndId,
    query: IgnoreConflicts,
    ...takesPatches('ScheduledChange', { instructions: scheduledChangeKinds }),
    reply: { 200: ScheduledChangeSchema },
  },
  async (call, kernel) => {
    const { changes, identity } = kernel;
    const asked = readSemanticPatch(call);
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      const target = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(target.resource);
      requireEnvironment(asked, target.environment);
      const before = await read(db, call.params.id, target, 'hold');
      const edited = editScheduledChange(before, asked.instructions, call.now);
      const { comment } = asked;
      if (edited.isDeleted) return await remove(tx, target, before, { comment, update: updateOf(asked) });
      if (areEqual(edited.change, before)) return toScheduledChange(before, target);
      requireFlagApproval(call, target.environment, target.flag, target.resource);
      const change = { ...edited.change, version: before.version + 1 };
      if (edited.hasNewInstructions) {
        const options = { comment: comment ?? before.comment, except: before.id, ...call.query };
        await checkPlan(tx, target, { instructions: change.instructions }, options);
        change.maintainer = await identity.initiatorIn(db, call.caller, call.now);
      }
      await updateScheduledChange(db, before, change, call.now);
      const after = toScheduledChange(change, target);
      recordFlagChange(tx, target, action, {
        verb: 'changed a scheduled change of',
        before: toScheduledChange(before, target),
        after,
        comment,
        update: updateOf(asked),
      });
      return after;
    });
    return shown;
  },
);

const del = route(
  {
    id: 'deleteFlagConfigScheduledChanges',
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Give a scheduled change up',
    access: { action },
    params: ByFlagInEnvironmentAndId,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const target = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(target.resource);
      await remove(tx, target, await read(db, call.params.id, target, 'hold'), {});
    });
    return reply(204);
  },
);

function read(db: Db, id: string, target: FlagInEnvironment, hold?: 'hold'): Promise<ScheduledChange> {
  return readItem(db, target, findScheduledChange, { kind: 'scheduled change', id }, hold);
}

/** In detail, with the conflicts that the change would have now. */
async function show(
  db: Db,
  change: ScheduledChange,
  target: FlagInEnvironment,
  now: number,
): Promise<ShownChange> {
  if (change.status === 'failed') return toScheduledChange(change, target);
  const conflicts = await tryPlan(db, target.flag, target.environment.key, change, now);
  return toScheduledChange(change, target, conflicts);
}

type ShownChange = Static<typeof ScheduledChangeSchema> & ReturnType<typeof toScheduledChange>;

async function remove(
  tx: ChangeTransaction,
  target: FlagInEnvironment,
  change: ScheduledChange,
  details: Pick<Change, 'comment' | 'update'>,
): Promise<ShownChange> {
  const before = toScheduledChange(change, target);
  await deleteScheduledChange(tx.db, change);
  recordFlagChange(tx, target, action, { verb: 'gave up a scheduled change of', before, ...details });
  return before;
}

export const scheduledChangeRoutes = [list, post, get, patch, del];
