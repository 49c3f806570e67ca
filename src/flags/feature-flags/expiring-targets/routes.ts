// When the targets of a flag expire: list and patch, in the words of contexts and in the older ones of users.
import { newId } from '../../../kernel/id.ts';
import { route, type Call } from '../../../kernel/route.ts';
import { Type, type Static, type TSchema } from '../../../kernel/schema.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { recordChange } from '../../change.ts';
import type { ExpiringTarget, Owner } from '../../expiring-targets/expiring-target.ts';
import { applyExpiringInstructions, expiringKinds } from '../../expiring-targets/instructions.ts';
import {
  tellings,
  toExpiringTargets,
  toOutcome,
  type Resource,
  type Telling,
} from '../../expiring-targets/representation.ts';
import { listExpiringTargets, saveExpiringTargets } from '../../expiring-targets/store.ts';
import { openEnvironment, unknownThing } from '../../open.ts';
import { readSemanticPatch, updateOf } from '../../patching.ts';
import type { Environment } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import { demandApproval } from '../approval.ts';
import type { Flag, FlagConfig } from '../flag.ts';
import { InstructionBody, listKinds } from '../instructions/document.ts';
import { VariationId } from '../instructions/parameters.ts';
import { problem } from '../model.ts';
import { findFlag, lockFlag } from '../store.ts';
import { targetsOf } from './targeted.ts';

const params = Type.Object({
  projectKey: Type.String(),
  featureFlagKey: Type.String(),
  environmentKey: Type.String(),
});

const kinds = expiringKinds('variationId', VariationId);

const action = 'updateExpiringTargets';

export const expiringTargetRoutes = [
  ...routesOf('expiring-targets', {
    whom: 'targets',
    getId: 'getExpiringContextTargets',
    patchId: 'patchExpiringTargets',
  }),
  ...routesOf('expiring-user-targets', {
    whom: 'users',
    getId: 'getExpiringUserTargets',
    patchId: 'patchExpiringUserTargets',
  }),
];

function routesOf(telling: Telling, { whom, getId, patchId }: Record<'whom' | 'getId' | 'patchId', string>) {
  const path = `/flags/{projectKey}/{featureFlagKey}/${telling}/{environmentKey}`;
  const { List, Patched } = tellings[telling] as Record<'List' | 'Patched', TSchema>;
  return [
    route(
      {
        id: getId,
        method: 'GET',
        path,
        summary: `List the ${whom} of a flag that expire`,
        access: { action: 'viewProject' },
        params,
        reply: { 200: List },
      },
      async (call, { db }) => {
        const place = await open(call, db);
        return tell(await listExpiringTargets(db, place.owner), place, telling);
      },
    ),
    route(
      {
        id: patchId,
        method: 'PATCH',
        path,
        summary: `Set when ${whom} of a flag expire`,
        description: `Instructions:\n\n${listKinds(kinds)}`,
        access: { action },
        params,
        body: InstructionBody(['semantic'], kinds.values()),
        reply: { 200: Patched },
      },
      async (call, { db, engine }) => {
        const patch = readSemanticPatch(call);
        const answer = await db.transaction().execute(async (tx) => {
          const place = await open(call, tx, engine.kind === 'postgres');
          const { flag, environment, owner, resource } = place;
          call.demand(resource, action);
          demandApproval(call, environment, flag, resource);
          if (environment.requireComments && (patch.comment ?? '').trim() === '')
            throw problem('comment', `is required for changes in ${environment.name}`);
          const before = await listExpiringTargets(tx, owner);
          const after = applyExpiringInstructions(before, patch.instructions, {
            owner,
            kinds,
            placeName: 'variationId',
            isTargeted: targetsOf(flag, place.config),
            newId: () => newId(call.now),
            now: call.now,
          });
          if (after === before) return tell(before, place, telling);
          await saveExpiringTargets(tx, before, after, call.now);
          const told = tell(after, place, telling);
          await recordChange(tx, call, {
            accesses: [{ action, resource }],
            kind: 'flag',
            name: flag.name,
            verb: 'changed the expiring targets of',
            before: tell(before, place, telling),
            after: told,
            comment: patch.comment,
            update: updateOf(patch),
          });
          return told;
        });
        await engine.notify('due');
        return { ...answer, ...toOutcome(patch.instructions) };
      },
    ),
  ];
}

type Named = Pick<Call, 'can'> & { params: Static<typeof params> };

/** The flag in one environment. */
interface Place {
  flag: Flag;
  config: FlagConfig;
  environment: Environment;
  owner: Owner;
  /** Its name in policies, and in links. */
  resource: string;
  names: Resource;
}

async function open(call: Named, db: Db, isLocked = false): Promise<Place> {
  const { projectKey, featureFlagKey: key, environmentKey } = call.params;
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
  if (isLocked) await lockFlag(db, project.id, key);
  const { flag } = (await findFlag(db, project.id, key, [environmentKey])) ?? {};
  const config = flag?.environments[environmentKey];
  if (flag === undefined || config === undefined) throw unknownThing('flag', key);
  return {
    flag,
    config,
    environment,
    owner: { resourceKind: 'flag', resourceId: flag.id, environmentId: environment.id },
    resource: environmentalResource(project, environment, 'flag', flag),
    names: { kind: 'flag', projectKey, environmentKey, key },
  };
}

function tell(targets: readonly ExpiringTarget[], { names }: Place, telling: Telling) {
  return toExpiringTargets(targets, names, 'variationId', telling);
}
