// When the targets of a segment expire: list and patch, in the words of contexts and in the older ones of users.
import { newId } from '../../kernel/id.ts';
import type { Instruction } from '../../kernel/patch/read.ts';
import { route, type Call } from '../../kernel/route.ts';
import { invalid, OneOf, Type, type Static, type TSchema } from '../../kernel/schema.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange } from '../change.ts';
import type { ExpiringTarget } from '../expiring-targets/expiring-target.ts';
import { applyExpiringInstructions, expiringKinds } from '../expiring-targets/instructions.ts';
import { tellings, toExpiringTargets, toOutcome, type Telling } from '../expiring-targets/representation.ts';
import { listExpiringTargets, saveExpiringTargets } from '../expiring-targets/store.ts';
import { InstructionBody, listKinds } from '../feature-flags/instructions/document.ts';
import { openEnvironment, unknownThing } from '../open.ts';
import { readSemanticPatch, updateOf } from '../patching.ts';
import { environmentalResource } from '../resources.ts';
import { demandApproval } from './approval.ts';
import { ownerOf, targetsOf } from './expiring.ts';
import { findSegment, holdSegment } from './store.ts';

const params = Type.Object({
  projectKey: Type.String(),
  segmentKey: Type.String(),
  environmentKey: Type.String(),
});

const kinds = expiringKinds('targetType', OneOf(['included', 'excluded']));

const action = 'updateExpiringTargets';

export const segmentExpiringRoutes = [
  ...routesOf('expiring-targets', {
    whom: 'targets',
    getId: 'getExpiringTargetsForSegment',
    patchId: 'patchExpiringTargetsForSegment',
  }),
  ...routesOf('expiring-user-targets', {
    whom: 'users',
    getId: 'getExpiringUserTargetsForSegment',
    patchId: 'patchExpiringUserTargetsForSegment',
  }),
];

function routesOf(telling: Telling, { whom, getId, patchId }: Record<'whom' | 'getId' | 'patchId', string>) {
  const path = `/segments/{projectKey}/{segmentKey}/${telling}/{environmentKey}`;
  const { List, Patched } = tellings[telling] as Record<'List' | 'Patched', TSchema>;
  return [
    route(
      {
        id: getId,
        method: 'GET',
        path,
        summary: `List the ${whom} of a segment that expire`,
        access: { action: 'viewProject' },
        params,
        reply: { 200: List },
      },
      async (call, { db }) => {
        const { segment } = await open(call, db);
        return tell(await listExpiringTargets(db, ownerOf(segment)), call.params, telling);
      },
    ),
    route(
      {
        id: patchId,
        method: 'PATCH',
        path,
        summary: `Set when ${whom} of a segment expire`,
        description: `Instructions:\n\n${listKinds(kinds)}`,
        access: { action },
        params,
        body: InstructionBody(['semantic'], kinds.values()),
        reply: { 200: Patched },
      },
      async (call, { db, engine }) => {
        const patch = readSemanticPatch(call);
        const { instructions, comment } = patch;
        const answer = await db.transaction().execute(async (tx) => {
          const { segment, environment, resource } = await open(call, tx, engine);
          call.demand(resource, action);
          const before = await listExpiringTargets(tx, ownerOf(segment));
          const after = applyExpiringInstructions(before, instructions, {
            owner: ownerOf(segment),
            kinds,
            placeName: 'targetType',
            isTargeted: await targetsOf(tx, segment, keysIn(instructions)),
            newId: () => newId(call.now),
            now: call.now,
          });
          if (after === before) return tell(before, call.params, telling);
          demandApproval(call, environment, segment, resource);
          if (environment.requireComments && (comment ?? '').trim() === '')
            throw invalid([{ field: 'comment', message: `is required for changes in ${environment.name}` }]);
          await saveExpiringTargets(tx, before, after, call.now);
          const told = tell(after, call.params, telling);
          await recordChange(tx, call, {
            accesses: [{ action, resource }],
            kind: 'segment',
            name: segment.name,
            verb: 'changed the expiring targets of',
            before: tell(before, call.params, telling),
            after: told,
            comment,
            update: updateOf(patch),
          });
          return told;
        });
        await engine.notify('due');
        return { ...answer, ...toOutcome(instructions) };
      },
    ),
  ];
}

type Named = Static<typeof params>;

async function open(call: Pick<Call, 'can'> & { params: Named }, db: Db, engine?: Engine) {
  const { projectKey, environmentKey, segmentKey } = call.params;
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
  const segment =
    engine === undefined
      ? await findSegment(db, environment.id, segmentKey)
      : await holdSegment(engine, db, environment.id, segmentKey);
  if (segment === undefined) throw unknownThing('segment', segmentKey);
  return { segment, environment, resource: environmentalResource(project, environment, 'segment', segment) };
}

function tell(targets: readonly ExpiringTarget[], { segmentKey: key, ...names }: Named, telling: Telling) {
  return toExpiringTargets(targets, { kind: 'segment', key, ...names }, 'targetType', telling);
}

/** All that could be one: what instructions hold has not been checked yet. */
function keysIn(instructions: readonly Instruction[]): string[] {
  return instructions
    .flatMap(({ contextKey, userKey }) => [contextKey, userKey])
    .filter((key): key is string => typeof key === 'string' && key.length <= 512 && !key.includes('\0'));
}
