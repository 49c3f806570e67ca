// When the targets of something expire: list and patch, in the words of contexts and in the older ones of users.
import { newId } from '../../kernel/id.ts';
import type { Instruction } from '../patch-body.ts';
import { route, type Call } from '../../kernel/route.ts';
import type { TObject, TSchema } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';

import { listKinds, takesInstructions } from '../instructions/document.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../resource-patch.ts';
import { requireComment } from '../planned-changes/flag-in-environment.ts';
import type { Environment } from '../projects/project.ts';
import type { ExpiringTarget, Owner, ResourceKind } from './expiring-target.ts';
import { applyExpiringInstructions, expiringKinds, type PlaceName, type Setting } from './instructions.ts';
import { tellings, toExpiringTargets, toOutcome, type Resource, type Telling } from './representation.ts';
import { listExpiringTargets, saveExpiringTargets } from './store.ts';

const action = 'updateExpiringTargets';

/** What has targets, in one environment. */
export interface Targeted {
  name: string;
  environment: Environment;
  owner: Owner;
  /** Its name in policies, and in links. */
  resource: string;
  names: Resource;
  /** Throws where the change must have been approved. */
  demandApproval(): void;
  /** Instructions are as they came: nothing of them has been checked. */
  findTargets(instructions: readonly Instruction[]): Setting['isTargeted'] | Promise<Setting['isTargeted']>;
}

type KnownCall = Pick<Call, 'can' | 'demand' | 'now' | 'id'> & {
  caller: Exclude<Call['caller'], { kind: 'anonymous' }>;
};

export interface Family<Params extends TObject> {
  kind: ResourceKind;
  /** Of the two tellings, below which the environment stands. */
  pathOf(telling: Telling): string;
  params: Params;
  placeName: PlaceName;
  Place: TSchema;
  /** The operations that list and patch. */
  ids: Record<Telling, [get: string, patch: string]>;
  /** With `hold`, nobody else changes it until the transaction ends. */
  open(call: KnownCall & { params: unknown }, db: Db, hold?: 'hold'): Promise<Targeted>;
}

export function expiringRoutes<Params extends TObject>(family: Family<Params>) {
  return [
    ...routesOf(family, 'expiring-targets', 'targets'),
    ...routesOf(family, 'expiring-user-targets', 'users'),
  ];
}

function routesOf<Params extends TObject>(family: Family<Params>, telling: Telling, whom: string) {
  const { kind, params, placeName, open } = family;
  const path = family.pathOf(telling);
  const [getId, patchId] = family.ids[telling];
  const kinds = expiringKinds(placeName, family.Place);
  const { List, Patched } = tellings[telling] as Record<'List' | 'Patched', TSchema>;
  const tell = (targets: readonly ExpiringTarget[], { names }: Targeted) =>
    toExpiringTargets(targets, names, placeName, telling);
  return [
    route(
      {
        id: getId,
        method: 'GET',
        path,
        summary: `List the ${whom} of a ${kind} that expire`,
        access: { action: 'viewProject' },
        params,
        reply: { 200: List },
      },
      async (call, { db }) => {
        const targeted = await open(call, db);
        return tell(await listExpiringTargets(db, targeted.owner), targeted);
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
        ...takesInstructions(['semantic'], kinds.values()),
        reply: { 200: Patched },
      },
      async (call, { changes }) => {
        const patch = readSemanticPatch(call);
        const { instructions, comment } = patch;
        const answer = await changes.run(call, async (on) => {
          const { db: tx } = on;
          const targeted = await open(call, tx, 'hold');
          const { owner, resource, environment, name } = targeted;
          call.demand(resource, action);
          requireEnvironment(patch, environment);
          const before = await listExpiringTargets(tx, owner);
          const after = applyExpiringInstructions(before, instructions, {
            owner,
            kinds,
            placeName,
            isTargeted: await targeted.findTargets(instructions),
            newId: () => newId(call.now),
            now: call.now,
          });
          if (after === before) return tell(before, targeted);
          targeted.demandApproval();
          requireComment(environment, comment);
          await saveExpiringTargets(tx, before, after, call.now);
          const told = tell(after, targeted);
          on.record({
            accesses: [{ action, resource }],
            kind,
            name,
            verb: 'changed the expiring targets of',
            before: tell(before, targeted),
            after: told,
            comment,
            update: updateOf(patch),
          });
          return told;
        });
        return { ...answer, ...toOutcome(instructions) };
      },
    ),
  ];
}
