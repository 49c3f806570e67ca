// Scheduled changes of a flag in an environment: list, make, get, patch, delete.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { initiatorOf } from '../../kernel/identity/identity.ts';
import { areEqual } from '../../kernel/patch/json-value.ts';
import { reply, route } from '../../kernel/route.ts';
import { problem, Type, type Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Change } from '../../kernel/change/change.ts';
import { demandApproval } from '../feature-flags/approval.ts';
import { listKinds, takesInstructions } from '../instructions/document.ts';
import { inPostedBody } from '../instructions/reading.ts';
import { PageQuery, sliceOf } from '../list-query.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../resource-patch.ts';
import { rehearse } from '../planned-changes/apply-plan.ts';
import { openPlace, readAt } from '../planned-changes/find-flag-in-environment.ts';
import {
  ByPlace,
  ByPlaceAndId,
  PLACE,
  requireComment,
  whereaboutsOf,
  type Place,
} from '../planned-changes/flag-in-environment.ts';
import { recordAt } from '../planned-changes/record-change.ts';
import { tryPlan } from '../planned-changes/try-plan.ts';
import {
  editScheduledChange,
  MOST_CHANGES,
  requireFuture,
  ScheduledChangePost,
  ScheduledChangeSchema,
  scheduledChangeKinds,
  toScheduledChange,
} from './model.ts';
import type { ScheduledChange } from './scheduled-change.ts';
import {
  createScheduledChange,
  deleteScheduledChange,
  findScheduledChange,
  pageScheduledChanges,
  saveScheduledChange,
} from './store.ts';

const PATH = `${PLACE}/scheduled-changes` as const;
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
    params: ByPlace,
    query: Type.Object(PageQuery),
    list: ScheduledChangeSchema,
  },
  async (call, { db }) => {
    const place = await openPlace(call, db, call.params);
    const slice = sliceOf(call.query, MOST_CHANGES, MOST_CHANGES);
    const page = await pageScheduledChanges(db, whereaboutsOf(place), slice);
    return page.map((change) => toScheduledChange(change, place));
  },
);

const post = route(
  {
    id: 'postFlagConfigScheduledChanges',
    method: 'POST',
    path: PATH,
    summary: 'Schedule a change of a flag',
    description: 'It is made at its time in the name of the caller, with the permissions they have then.',
    access: { action },
    params: ByPlace,
    query: IgnoreConflicts,
    body: ScheduledChangePost,
    reply: { 201: ScheduledChangeSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { executionDate: executionAt, instructions, comment } = call.body;
    requireFuture(executionAt, call.now);
    const shown = await inPostedBody(() =>
      changes.run(call, async (on) => {
        const { db: tx } = on;
        const place = await openPlace(call, tx, call.params, 'hold');
        call.demand(place.resource);
        requireComment(place.environment, comment);
        demandApproval(call, place.environment, place.flag, place.resource);
        await rehearse(on, place, { instructions }, { comment, ...call.query });
        const { total } = await pageScheduledChanges(tx, whereaboutsOf(place), { offset: 0, limit: 1 });
        if (total >= MOST_CHANGES)
          throw problem('body', `would be one more than ${MOST_CHANGES} scheduled changes`);
        const change = await createScheduledChange(
          tx,
          {
            ...whereaboutsOf(place),
            maintainer: initiatorOf(call.caller),
            executionAt,
            instructions,
            ...(comment !== undefined && { comment }),
          },
          call.now,
        );
        const after = toScheduledChange(change, place);
        recordAt(on, place, action, { verb: 'scheduled a change of', after, comment });
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
    params: ByPlaceAndId,
    reply: { 200: ScheduledChangeSchema },
  },
  async (call, { db }) => {
    const place = await openPlace(call, db, call.params);
    return await show(db, await read(db, call.params.id, place), place, call.now);
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
    params: ByPlaceAndId,
    query: IgnoreConflicts,
    ...takesInstructions(['semantic'], scheduledChangeKinds.values()),
    reply: { 200: ScheduledChangeSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const asked = readSemanticPatch(call);
    const shown = await changes.run(call, async (on) => {
      const { db: tx } = on;
      const place = await openPlace(call, tx, call.params, 'hold');
      call.demand(place.resource);
      requireEnvironment(asked, place.environment);
      const before = await read(tx, call.params.id, place, 'hold');
      const edited = editScheduledChange(before, asked.instructions, call.now);
      const { comment } = asked;
      if (edited.isDeleted) return await remove(on, place, before, { comment, update: updateOf(asked) });
      if (areEqual(edited.change, before)) return toScheduledChange(before, place);
      demandApproval(call, place.environment, place.flag, place.resource);
      const change = { ...edited.change, version: before.version + 1 };
      if (edited.hasNewInstructions) {
        const how = { comment: comment ?? before.comment, except: before.id, ...call.query };
        await rehearse(on, place, { instructions: change.instructions }, how);
        change.maintainer = initiatorOf(call.caller);
      }
      await saveScheduledChange(tx, before, change, call.now);
      const after = toScheduledChange(change, place);
      recordAt(on, place, action, {
        verb: 'changed a scheduled change of',
        before: toScheduledChange(before, place),
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
    params: ByPlaceAndId,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (on) => {
      const { db: tx } = on;
      const place = await openPlace(call, tx, call.params, 'hold');
      call.demand(place.resource);
      await remove(on, place, await read(tx, call.params.id, place, 'hold'), {});
    });
    return reply(204);
  },
);

function read(db: Db, id: string, place: Place, hold?: 'hold'): Promise<ScheduledChange> {
  return readAt(db, place, findScheduledChange, { kind: 'scheduled change', id }, hold);
}

/** In detail: with what stands in the way of it now. */
async function show(db: Db, change: ScheduledChange, place: Place, now: number): Promise<Shown> {
  if (change.status === 'failed') return toScheduledChange(change, place);
  const conflicts = await tryPlan(db, place.flag, place.environment.key, change, now);
  return toScheduledChange(change, place, conflicts);
}

type Shown = Static<typeof ScheduledChangeSchema> & ReturnType<typeof toScheduledChange>;

async function remove(
  on: ChangeTransaction,
  place: Place,
  change: ScheduledChange,
  told: Pick<Change, 'comment' | 'update'>,
): Promise<Shown> {
  const before = toScheduledChange(change, place);
  await deleteScheduledChange(on.db, change);
  recordAt(on, place, action, { verb: 'gave up a scheduled change of', before, ...told });
  return before;
}

export const scheduledChangeRoutes = [list, post, get, patch, del];
