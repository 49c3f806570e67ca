// Scheduled changes of a flag in an environment: list, make, get, patch, delete.
import { doerOf } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { areEqual } from '../../kernel/patch/json-value.ts';
import { Page } from '../../kernel/page.ts';
import { reply, route, type Call } from '../../kernel/route.ts';
import { Type, type Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange, type Change } from '../change.ts';
import { demandApproval } from '../feature-flags/approval.ts';
import { InstructionBody, listKinds } from '../feature-flags/instructions/document.ts';
import { problem } from '../feature-flags/model.ts';
import { PageQuery, sliceOf } from '../listing.ts';
import { unknownThing } from '../open.ts';
import { readSemanticPatch, updateOf } from '../patching.ts';
import { rehearse } from '../pending/carry-out.ts';
import { openPlace } from '../pending/find-place.ts';
import { ByPlace, ByPlaceAndId, requireComment, whereaboutsOf, type Place } from '../pending/place.ts';
import { tryPlan } from '../pending/try-plan.ts';
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

const PATH = '/projects/{projectKey}/flags/{featureFlagKey}/environments/{environmentKey}/scheduled-changes';
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
    const { items, total } = await pageScheduledChanges(db, whereaboutsOf(place), slice);
    const shown = [];
    for (const change of items) shown.push(await show(db, change, place, call.now));
    return new Page(shown, total, slice);
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
    const { db, engine } = kernel;
    const { executionDate: executionAt, instructions, comment } = call.body;
    requireFuture(executionAt, call.now);
    const shown = await db.transaction().execute(async (tx) => {
      const place = await openPlace(call, tx, call.params, engine);
      call.demand(place.resource);
      requireComment(place.environment, comment);
      demandApproval(call, place.environment, place.flag, place.resource);
      await rehearse(kernel, tx, call, place, { instructions }, { comment, ...call.query });
      const { total } = await pageScheduledChanges(tx, whereaboutsOf(place), { offset: 0, limit: 1 });
      if (total >= MOST_CHANGES)
        throw problem('body', `would be one more than ${MOST_CHANGES} scheduled changes`);
      const change = await createScheduledChange(
        tx,
        {
          ...whereaboutsOf(place),
          maintainer: doerOf(call.caller),
          executionAt,
          instructions,
          ...(comment !== undefined && { comment }),
        },
        call.now,
      );
      const after = toScheduledChange(change, place);
      await record(tx, call, place, { verb: 'scheduled a change of', after, comment });
      return after;
    });
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
    body: InstructionBody(
      ['semantic'],
      scheduledChangeKinds.map(([, kind]) => kind),
    ),
    reply: { 200: ScheduledChangeSchema },
  },
  async (call, kernel) => {
    const { db, engine } = kernel;
    const asked = readSemanticPatch(call);
    const shown = await db.transaction().execute(async (tx) => {
      const place = await openPlace(call, tx, call.params, engine);
      call.demand(place.resource);
      const before = await read(tx, call.params.id, place, kernel);
      const edited = editScheduledChange(before, asked.instructions, call.now);
      const { comment } = asked;
      if (edited.isDeleted)
        return await remove(tx, call, place, before, { comment, update: updateOf(asked) });
      if (areEqual(edited.change, before)) return toScheduledChange(before, place);
      demandApproval(call, place.environment, place.flag, place.resource);
      const change = { ...edited.change, version: before.version + 1 };
      if (edited.hasNewInstructions) {
        const how = { comment: comment ?? before.comment, except: before.id, ...call.query };
        await rehearse(kernel, tx, call, place, { instructions: change.instructions }, how);
        change.maintainer = doerOf(call.caller);
      }
      await saveScheduledChange(tx, before, change, call.now);
      const after = toScheduledChange(change, place);
      await record(tx, call, place, {
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
  async (call, kernel) => {
    const { db, engine } = kernel;
    await db.transaction().execute(async (tx) => {
      const place = await openPlace(call, tx, call.params, engine);
      call.demand(place.resource);
      await remove(tx, call, place, await read(tx, call.params.id, place, kernel), {});
    });
    return reply(204);
  },
);

/** With a kernel it stays as it is until the transaction ends. */
async function read(db: Db, id: string, place: Place, kernel?: Kernel): Promise<ScheduledChange> {
  const change = await findScheduledChange(db, id, kernel?.engine);
  const { flagId, environmentId } = whereaboutsOf(place);
  if (change?.flagId !== flagId || change.environmentId !== environmentId)
    throw unknownThing('scheduled change', id);
  return change;
}

async function show(db: Db, change: ScheduledChange, place: Place, now: number): Promise<Shown> {
  if (change.status === 'failed') return toScheduledChange(change, place);
  const conflicts = await tryPlan(db, place.flag, place.environment.key, change, now);
  return toScheduledChange(change, place, conflicts);
}

type Shown = Static<typeof ScheduledChangeSchema> & ReturnType<typeof toScheduledChange>;

async function remove(
  tx: Db,
  call: Pick<Call, 'now' | 'id'> & { caller: Call['caller'] },
  place: Place,
  change: ScheduledChange,
  told: Pick<Change, 'comment' | 'update'>,
): Promise<Shown> {
  const before = toScheduledChange(change, place);
  await deleteScheduledChange(tx, change);
  await record(tx, call, place, { verb: 'gave up a scheduled change of', before, ...told });
  return before;
}

async function record(
  tx: Db,
  actor: Parameters<typeof recordChange>[1],
  { resource, flag }: Place,
  told: Pick<Change, 'verb' | 'before' | 'after' | 'comment' | 'update'>,
): Promise<void> {
  await recordChange(tx, actor, {
    accesses: [{ action, resource }],
    kind: 'flag',
    name: flag.name,
    ...told,
  });
}

export const scheduledChangeRoutes = [list, post, get, patch, del];
