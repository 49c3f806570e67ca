// Triggers of a flag in an environment: list, make, get, patch, delete.
import { newId } from '../../kernel/id.ts';
import { newSecret } from '../../kernel/identity/secret.ts';
import { areEqual } from '../../kernel/patch/json-value.ts';
import { reply, route, type Call } from '../../kernel/route.ts';
import { problem, Type } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { demandApproval } from '../feature-flags/approval.ts';
import { listKinds, takesInstructions } from '../instructions/document.ts';
import { inPostedBody } from '../instructions/reading.ts';
import { PageQuery, sliceOf } from '../list-query.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../resource-patch.ts';
import { rehearse } from '../planned-changes/apply-plan.ts';
import { openPlace, readAt } from '../planned-changes/find-flag-in-environment.ts';
import { ByPlace, ByPlaceAndId, whereaboutsOf, type Place } from '../planned-changes/flag-in-environment.ts';
import { recordAt } from '../planned-changes/record-change.ts';
import { triggerUrl } from './fire.ts';
import {
  actionsOf,
  editTrigger,
  MOST_TRIGGERS,
  toTrigger,
  triggerKinds,
  TriggerPost,
  TriggerSchema,
} from './model.ts';
import { createTrigger, deleteTrigger, findTrigger, pageTriggers, saveTrigger } from './store.ts';
import type { Trigger } from './trigger.ts';

const PATH = '/flags/{projectKey}/{featureFlagKey}/triggers/{environmentKey}';
const CREATE = 'createTriggers';
const UPDATE = 'updateTriggers';
const DELETE = 'deleteTriggers';

const list = route(
  {
    id: 'getTriggerWorkflows',
    method: 'GET',
    path: PATH,
    summary: 'List the triggers of a flag',
    access: { action: 'viewProject' },
    params: ByPlace,
    query: Type.Object(PageQuery),
    list: TriggerSchema,
  },
  async (call, { db }) => {
    const place = await openPlace(call, db, call.params);
    const slice = sliceOf(call.query, MOST_TRIGGERS, MOST_TRIGGERS);
    const page = await pageTriggers(db, whereaboutsOf(place), slice);
    return page.map((trigger) => toTrigger(trigger, place));
  },
);

const post = route(
  {
    id: 'createTriggerWorkflow',
    method: 'POST',
    path: PATH,
    summary: 'Make a trigger: a URL that changes the flag when it is called',
    access: { action: CREATE },
    params: ByPlace,
    body: TriggerPost,
    reply: { 201: TriggerSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { integrationKey, instructions = [], comment } = call.body;
    const secret = newSecret('');
    const { shown, trigger } = await inPostedBody(() =>
      changes.run(call, async (on) => {
        const { db: tx } = on;
        const place = await openPlace(call, tx, call.params, 'hold');
        call.demand(place.resource);
        demandActions(call, place, instructions);
        const { total } = await pageTriggers(tx, whereaboutsOf(place), { offset: 0, limit: 1 });
        if (total >= MOST_TRIGGERS) throw problem('body', `would be one more than ${MOST_TRIGGERS} triggers`);
        await rehearse(on, place, { instructions }, { comment: integrationKey, ignoreConflicts: true });
        const made: Trigger = {
          id: newId(call.now),
          ...whereaboutsOf(place),
          maintainerId: call.caller.member.id,
          integrationKey,
          isOn: true,
          hash: secret.hash,
          firedCount: 0,
          ...(comment !== undefined && { comment }),
          instructions,
          version: 1,
          createdAt: call.now,
        };
        await createTrigger(tx, made);
        const after = toTrigger(made, place);
        recordAt(on, place, CREATE, { verb: 'made a trigger for', after, comment });
        return { shown: after, trigger: made };
      }),
    );
    const triggerURL = triggerUrl(call.base, trigger, secret.value);
    return reply(201, { ...shown, triggerURL }, { location: shown._links.self.href });
  },
);

const get = route(
  {
    id: 'getTriggerWorkflowById',
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Get a trigger',
    access: { action: 'viewProject' },
    params: ByPlaceAndId,
    reply: { 200: TriggerSchema },
  },
  async (call, { db }) => {
    const place = await openPlace(call, db, call.params);
    return toTrigger(await read(db, call.params.id, place), place);
  },
);

const patch = route(
  {
    id: 'patchTriggerWorkflow',
    method: 'PATCH',
    path: `${PATH}/{id}`,
    summary: 'Change a trigger',
    description: `Instructions:\n\n${listKinds(triggerKinds)}`,
    access: { action: UPDATE },
    params: ByPlaceAndId,
    ...takesInstructions(['semantic'], triggerKinds.values()),
    reply: { 200: TriggerSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const asked = readSemanticPatch(call);
    const secret = newSecret('');
    const { shown, trigger, hasNewUrl } = await changes.run(call, async (on) => {
      const { db: tx } = on;
      const place = await openPlace(call, tx, call.params, 'hold');
      call.demand(place.resource);
      requireEnvironment(asked, place.environment);
      const before = await read(tx, call.params.id, place, 'hold');
      const edited = editTrigger(before, asked.instructions);
      const { instructions, isOn } = edited.trigger;
      if (!edited.hasNewUrl && areEqual(edited.trigger, before))
        return { shown: toTrigger(before, place), trigger: before, hasNewUrl: false };
      // Whoever gets the URL, or lets it work, can make the change.
      if (edited.hasNewUrl || edited.hasNewInstructions || (isOn && !before.isOn))
        demandActions(call, place, instructions);
      const how = { comment: before.integrationKey, ignoreConflicts: true };
      if (edited.hasNewInstructions) await rehearse(on, place, { instructions }, how);
      const after: Trigger = {
        ...edited.trigger,
        ...(edited.hasNewUrl && { hash: secret.hash }),
        version: before.version + 1,
      };
      await saveTrigger(tx, before, after);
      recordAt(on, place, UPDATE, {
        verb: 'changed a trigger for',
        before: toTrigger(before, place),
        after: toTrigger(after, place),
        comment: asked.comment,
        update: updateOf(asked),
      });
      return { shown: toTrigger(after, place), trigger: after, hasNewUrl: edited.hasNewUrl };
    });
    return hasNewUrl ? { ...shown, triggerURL: triggerUrl(call.base, trigger, secret.value) } : shown;
  },
);

const del = route(
  {
    id: 'deleteTriggerWorkflow',
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Delete a trigger: its URL is no longer good',
    access: { action: DELETE },
    params: ByPlaceAndId,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (on) => {
      const { db: tx } = on;
      const place = await openPlace(call, tx, call.params, 'hold');
      call.demand(place.resource);
      const trigger = await read(tx, call.params.id, place, 'hold');
      await deleteTrigger(tx, trigger);
      const before = toTrigger(trigger, place);
      recordAt(on, place, DELETE, { verb: 'deleted a trigger for', before });
    });
    return reply(204);
  },
);

function read(db: Db, id: string, place: Place, hold?: 'hold'): Promise<Trigger> {
  return readAt(db, place, findTrigger, { kind: 'trigger', id }, hold);
}

/** Nobody is asked when the URL is called, so all is asked of whoever makes it good. */
function demandActions(
  call: Call & { caller: { kind: 'token' | 'session' } },
  { environment, flag, resource }: Place,
  instructions: Trigger['instructions'],
): void {
  for (const action of actionsOf(instructions)) call.demand(resource, action);
  demandApproval(call, environment, flag, resource);
}

export const triggerRoutes = [list, post, get, patch, del];
