// Routes that list and patch expiring targets, for flags and segments, in the form for contexts and the older one for users.
import { newId } from '../../kernel/id.ts';
import { type Instruction, readSemanticPatch, requireEnvironment, updateOf } from '../patch/patch.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import { Type, type TObject, type TSchema } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';

import { listKinds } from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { requireComment } from '../planned-changes/flag-in-environment.ts';
import type { Environment } from '../projects/project.ts';
import {
  type ExpiringTarget,
  type Owner,
  type ResourceKind,
  applyExpiringInstructions,
  expiringKinds,
  type TargetListParameter,
  type ExpiringContext,
  targetForms,
  toExpiringTargets,
  toOutcome,
  type Resource,
  type TargetForm,
} from './model.ts';
import { listExpiringTargets, updateExpiringTargets } from './store.ts';

const action = 'updateExpiringTargets';

/** A flag or segment in one environment. */
export interface TargetedResource {
  name: string;
  environment: Environment;
  owner: Owner;
  /** The resource of policies, and the keys for links. */
  resource: string;
  names: Resource;
  /** Throws when the change requires approval. */
  requireApproval(): void;
  /** The instructions are not checked yet. */
  findTargets(
    instructions: readonly Instruction[],
  ): ExpiringContext['isTargeted'] | Promise<ExpiringContext['isTargeted']>;
}

type KnownCall = Pick<Call, 'can' | 'requirePermission' | 'now' | 'id'> & {
  caller: Exclude<Call['caller'], { kind: 'anonymous' }>;
};

export interface ExpiringResource<Params extends TObject> {
  kind: ResourceKind;
  /** The path of one of the two forms, up to the environment. */
  pathOf(form: TargetForm): string;
  params: Params;
  placeName: TargetListParameter;
  Place: TSchema;
  /** The operation ids of the list and the patch. */
  ids: Record<TargetForm, [get: string, patch: string]>;
  /** With `hold`, locks the flag or segment until the transaction ends. */
  open(call: KnownCall & { params: unknown }, db: Db, hold?: 'hold'): Promise<TargetedResource>;
}

export function expiringRoutes<Params extends TObject>(options: ExpiringResource<Params>) {
  return [
    ...routesOf(options, 'expiring-targets', 'targets'),
    ...routesOf(options, 'expiring-user-targets', 'users'),
  ];
}

function routesOf<Params extends TObject>(options: ExpiringResource<Params>, form: TargetForm, whom: string) {
  const { kind, params, placeName, open } = options;
  const path = options.pathOf(form);
  const [getId, patchId] = options.ids[form];
  const kinds = expiringKinds(placeName, options.Place);
  const { List, Patched } = targetForms[form] as Record<'List' | 'Patched', TSchema>;
  const show = (targets: readonly ExpiringTarget[], { names }: TargetedResource) =>
    toExpiringTargets(targets, names, placeName, form);
  return [
    route(
      {
        id: getId,
        method: 'GET',
        path,
        summary: `List the ${whom} of a ${kind} that expire`,
        access: { action: 'viewProject' },
        params,
        query: Type.Object({ id: Type.Optional(Type.String({ description: 'Only the one with this ID' })) }),
        reply: { 200: List },
      },
      async (call, { db }) => {
        const targeted = await open(call, db);
        const targets = await listExpiringTargets(db, targeted.owner);
        const { id: only } = call.query;
        return show(only === undefined ? targets : targets.filter(({ id }) => id === only), targeted);
      },
    ),
    route(
      {
        id: patchId,
        method: 'PATCH',
        path,
        summary: `Set when ${whom} of a ${kind} expire`,
        description: `Instructions:\n\n${listKinds(kinds)}`,
        access: { action },
        params,
        ...takesPatches(kind === 'flag' ? 'FlagExpiring' : 'SegmentExpiring', { instructions: kinds }),
        reply: { 200: Patched },
      },
      async (call, { changes }) => {
        const patch = readSemanticPatch(call);
        const { instructions, comment } = patch;
        const answer = await changes.run(call, async (tx) => {
          const { db } = tx;
          const targeted = await open(call, db, 'hold');
          const { owner, resource, environment, name } = targeted;
          call.requirePermission(resource, action);
          requireEnvironment(patch, environment);
          const before = await listExpiringTargets(db, owner);
          const after = applyExpiringInstructions(before, instructions, {
            owner,
            kinds,
            placeName,
            isTargeted: await targeted.findTargets(instructions),
            newId: () => newId(call.now),
            now: call.now,
          });
          if (after === before) return show(before, targeted);
          targeted.requireApproval();
          requireComment(environment, comment);
          await updateExpiringTargets(db, before, after, call.now);
          const shown = show(after, targeted);
          tx.record({
            accesses: [{ action, resource }],
            kind,
            name,
            verb: 'changed the expiring targets of',
            before: show(before, targeted),
            after: shown,
            comment,
            update: updateOf(patch),
          });
          return shown;
        });
        return { ...answer, ...toOutcome(instructions) };
      },
    ),
  ];
}
