// Members of a big segment: add, remove, and look up by context key.
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Links, linkTo } from '../links.ts';
import { openEnvironment, unknownThing } from '../find-project.ts';
import { requireBig, type MembershipStep } from './membership.ts';
import { changeSegment } from './change-segment.ts';
import { findTargetTypes } from './store-members.ts';
import { ContextKeys, pathTo } from './model.ts';
import type { Segment } from './segment.ts';
import { findSegment } from './store.ts';

/** Per call. */
const MAX_KEYS = 10_000;

const BySegment = { projectKey: Type.String(), environmentKey: Type.String(), segmentKey: Type.String() };

const Lists = Type.Object(
  { add: Type.Optional(ContextKeys), remove: Type.Optional(ContextKeys) },
  { $id: 'SegmentUserList' },
);

const Membership = Type.Object(
  { included: Type.Optional(Lists), excluded: Type.Optional(Lists) },
  { $id: 'SegmentUserState', description: `At most ${MAX_KEYS} keys in all` },
);

const Member = Type.Object(
  { userKey: Type.String(), included: Type.Boolean(), excluded: Type.Boolean(), _links: Links },
  { $id: 'BigSegmentTarget' },
);

const updateShape = {
  method: 'POST',
  access: { action: 'update*', others: ['viewProject'] },
  params: Type.Object(BySegment),
  body: Membership,
  reply: { 204: null },
} as const;

const readShape = { method: 'GET', access: { action: 'viewProject' }, reply: { 200: Member } } as const;

const updateContexts = route(
  {
    ...updateShape,
    id: 'updateBigSegmentContextTargets',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}/contexts',
    summary: 'Include contexts in a big segment or exclude them from it',
  },
  update,
);

const updateUsers = route(
  {
    ...updateShape,
    id: 'updateBigSegmentTargets',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}/users',
    summary: 'Include users in a big segment or exclude them from it',
  },
  update,
);

const getContext = route(
  {
    ...readShape,
    id: 'getSegmentMembershipForContext',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}/contexts/{contextKey}',
    summary: 'Get whether a context is in a big segment',
    params: Type.Object({ ...BySegment, contextKey: Type.String() }),
  },
  (call, kernel) => readMembership(call, kernel, 'contexts', call.params.contextKey),
);

const getUser = route(
  {
    ...readShape,
    id: 'getSegmentMembershipForUser',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}/users/{userKey}',
    summary: 'Get whether a user is in a big segment',
    params: Type.Object({ ...BySegment, userKey: Type.String() }),
  },
  (call, kernel) => readMembership(call, kernel, 'users', call.params.userKey),
);

export const segmentMemberRoutes = [updateContexts, updateUsers, getContext, getUser];

type SegmentParams = Static<ReturnType<typeof Type.Object<typeof BySegment>>>;

async function update(
  call: Pick<Call, 'can' | 'requirePermission' | 'now' | 'id' | 'caller'> & {
    params: SegmentParams;
    body: Static<typeof Membership>;
  },
  { changes }: Kernel,
) {
  const { projectKey, environmentKey, segmentKey } = call.params;
  const steps = readSteps(call.body);
  const edit = (segment: Segment) => ({ segment: requireBig(segment), steps, actions: actionsOf(steps) });
  await changes.run(call, async (tx) => {
    const { db } = tx;
    const place = await openEnvironment(call, db, projectKey, environmentKey);
    await changeSegment(tx, { ...place, segmentKey }, { edit });
  });
  return reply(204);
}

/** Removals come first, so that one call can move a context between included and excluded. */
function readSteps({ included, excluded }: Static<typeof Membership>): MembershipStep[] {
  const steps: MembershipStep[] = [
    { does: 'remove', type: 'included', values: included?.remove ?? [] },
    { does: 'remove', type: 'excluded', values: excluded?.remove ?? [] },
    { does: 'add', type: 'included', values: included?.add ?? [] },
    { does: 'add', type: 'excluded', values: excluded?.add ?? [] },
  ];
  const count = steps.reduce((sum, { values }) => sum + values.length, 0);
  if (count > MAX_KEYS) throw problem('body', `can have at most ${MAX_KEYS} keys in all`);
  return steps.filter(({ values }) => values.length > 0);
}

function actionsOf(steps: readonly MembershipStep[]): string[] {
  return steps.map(({ type }) => (type === 'included' ? 'updateIncluded' : 'updateExcluded'));
}

async function readMembership(
  call: Pick<Call, 'can'> & { params: SegmentParams },
  { db }: Kernel,
  way: 'contexts' | 'users',
  key: string,
): Promise<Static<typeof Member>> {
  const { projectKey, environmentKey, segmentKey } = call.params;
  const place = await openEnvironment(call, db, projectKey, environmentKey);
  const segment = await findSegment(db, place.environment.id, segmentKey);
  if (segment === undefined) throw unknownThing('segment', segmentKey);
  const targetTypes = await findTargetTypes(db, requireBig(segment).id, [key]);
  const path = pathTo(place, segment);
  return {
    userKey: key,
    included: targetTypes.get(key) === 'included',
    excluded: targetTypes.get(key) === 'excluded',
    _links: { self: linkTo(`${path}/${way}/${encodeURIComponent(key)}`), parent: linkTo(path) },
  };
}
