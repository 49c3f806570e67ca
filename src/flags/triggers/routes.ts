// Routes of the triggers of a flag in an environment: list, create, get, patch, delete.
import { newId } from '../../kernel/id.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
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
  refOf,
  type FlagInEnvironment,
  recordFlagChange,
} from '../planned-changes/flag-in-environment.ts';
import { triggerUrl } from './fire.ts';
import {
  triggerActions,
  editTrigger,
  MAX_TRIGGERS,
  toTrigger,
  triggerKinds,
  TriggerPost,
  TriggerSchema,
  type Trigger,
} from './model.ts';
import { insertTrigger, deleteTrigger, findTrigger, listTriggers, updateTrigger } from './store.ts';

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
    params: ByFlagInEnvironment,
    query: Type.Object(PageQuery),
    list: TriggerSchema,
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    const slice = sliceOf(call.query, MAX_TRIGGERS, MAX_TRIGGERS);
    const page = await listTriggers(db, refOf(target), slice);
    return page.map((trigger) => toTrigger(trigger, target));
  },
);

const post = route(
  {
    id: 'createTriggerWorkflow',
    method: 'POST',
    path: PATH,
    summary: 'Make a trigger: a URL that changes the flag when it is called',
    access: { action: CREATE },
    params: ByFlagInEnvironment,
    body: TriggerPost,
    reply: { 201: TriggerSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { integrationKey, instructions = [], comment } = call.body;
    const secret = newSecret('');
    const { shown, trigger } = await inPostedBody(() =>
      changes.run(call, async (tx) => {
        const { db } = tx;
        const target = await readFlagInEnvironment(call, db, call.params, 'hold');
        call.requirePermission(target.resource);
        requireActions(call, target, instructions);
        const { total } = await listTriggers(db, refOf(target), { offset: 0, limit: 1 });
        if (total >= MAX_TRIGGERS) throw problem('body', `would be one more than ${MAX_TRIGGERS} triggers`);
        await checkPlan(tx, target, { instructions }, { comment: integrationKey, ignoreConflicts: true });
        const made: Trigger = {
          id: newId(call.now),
          ...refOf(target),
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
        await insertTrigger(db, made);
        const after = toTrigger(made, target);
        recordFlagChange(tx, target, CREATE, { verb: 'made a trigger for', after, comment });
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
    params: ByFlagInEnvironmentAndId,
    reply: { 200: TriggerSchema },
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    return toTrigger(await read(db, call.params.id, target), target);
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
    params: ByFlagInEnvironmentAndId,
    ...takesPatches('Trigger', { instructions: triggerKinds }),
    reply: { 200: TriggerSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const asked = readSemanticPatch(call);
    const secret = newSecret('');
    const { shown, trigger, hasNewUrl } = await changes.run(call, async (tx) => {
      const { db } = tx;
      const target = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(target.resource);
      requireEnvironment(asked, target.environment);
      const before = await read(db, call.params.id, target, 'hold');
      const edited = editTrigger(before, asked.instructions);
      const { instructions, isOn } = edited.trigger;
      if (!edited.hasNewUrl && areEqual(edited.trigger, before))
        return { shown: toTrigger(before, target), trigger: before, hasNewUrl: false };
      // Who gets a new URL, or enables the trigger, can make the change.
      if (edited.hasNewUrl || edited.hasNewInstructions || (isOn && !before.isOn))
        requireActions(call, target, instructions);
      const options = { comment: before.integrationKey, ignoreConflicts: true };
      if (edited.hasNewInstructions) await checkPlan(tx, target, { instructions }, options);
      const after: Trigger = {
        ...edited.trigger,
        ...(edited.hasNewUrl && { hash: secret.hash }),
        version: before.version + 1,
      };
      await updateTrigger(db, before, after);
      recordFlagChange(tx, target, UPDATE, {
        verb: 'changed a trigger for',
        before: toTrigger(before, target),
        after: toTrigger(after, target),
        comment: asked.comment,
        update: updateOf(asked),
      });
      return { shown: toTrigger(after, target), trigger: after, hasNewUrl: edited.hasNewUrl };
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
    params: ByFlagInEnvironmentAndId,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const target = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(target.resource);
      const trigger = await read(db, call.params.id, target, 'hold');
      await deleteTrigger(db, trigger);
      const before = toTrigger(trigger, target);
      recordFlagChange(tx, target, DELETE, { verb: 'deleted a trigger for', before });
    });
    return reply(204);
  },
);

function read(db: Db, id: string, target: FlagInEnvironment, hold?: 'hold'): Promise<Trigger> {
  return readItem(db, target, findTrigger, { kind: 'trigger', id }, hold);
}

/** Calls of the URL are not authorized, so the member who creates or enables the trigger needs all permissions of the change. */
function requireActions(
  call: Call & { caller: { kind: 'token' | 'session' } },
  { environment, flag, resource }: FlagInEnvironment,
  instructions: Trigger['instructions'],
): void {
  for (const action of triggerActions(instructions)) call.requirePermission(resource, action);
  requireFlagApproval(call, environment, flag, resource);
}

export const triggerRoutes = [list, post, get, patch, del];
