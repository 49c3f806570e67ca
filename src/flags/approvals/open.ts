// The way in to approval requests: one among all, or one of a flag in an environment; and what is shown around them.
import type { Call } from '../../kernel/route.ts';
import { Type, type Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { showEnvironment } from '../environments/model.ts';
import { listEnvironmentsOfProjects } from '../environments/store.ts';
import { toSummary } from '../feature-flags/representation.ts';
import { findBareFlags } from '../feature-flags/store.ts';
import { openProject, unknownThing } from '../find-project.ts';
import { findPlace, openPlace, readAt } from '../planned-changes/find-flag-in-environment.ts';
import { placeOf, type ByPlaceAndId, type Place } from '../planned-changes/flag-in-environment.ts';
import { tryPlan } from '../planned-changes/try-plan.ts';
import { toProject } from '../projects/model.ts';
import { findProjects } from '../projects/store.ts';
import type { ApprovalRequest } from './approval-request.ts';
import {
  toApprovalRequest,
  type ApprovalRequestSchema,
  type EXPANDABLE,
  type Family,
} from './representation.ts';
import { findApprovalRequest } from './store.ts';

export const ById = Type.Object({ id: Type.String() });

export interface Opened {
  request: ApprovalRequest;
  place: Place;
}

type Asking = Pick<Call, 'can'> & { params: Static<typeof ById> };

/** With `hold`, nobody else changes it or its flag until the transaction ends. */
export async function openRequest(call: Asking, db: Db, family: Family, hold?: 'hold'): Promise<Opened> {
  const place = await openIn[family](call, db, hold);
  const wanted = { kind: 'approval request', id: call.params.id };
  return { request: await readAt(db, place, findApprovalRequest, wanted, hold), place };
}

type Opener = (call: Asking, db: Db, hold?: 'hold') => Promise<Place>;

const openIn: Record<Family, Opener> = {
  flag: (call, db, hold) => openPlace(call, db, call.params as Static<typeof ByPlaceAndId>, hold),
  async all(call, db, hold) {
    const request = await findApprovalRequest(db, call.params.id);
    const place = request && (await findPlace(db, request, hold));
    if (place === undefined) throw unknownThing('approval request', call.params.id);
    await openProject(call, db, place.project.key);
    return place;
  },
};

export type Shown = Static<typeof ApprovalRequestSchema> & ReturnType<typeof toApprovalRequest>;

/** In detail: with what stands in the way of it now. */
export async function showRequest(
  db: Db,
  { request, place }: Opened,
  family: Family,
  now: number,
): Promise<Shown> {
  if (request.status !== 'pending' && request.status !== 'scheduled')
    return toApprovalRequest(request, place, family);
  const conflicts = await tryPlan(db, place.flag, place.environment.key, request.plan, now);
  return toApprovalRequest(request, place, family, conflicts);
}

type Expand = ReadonlySet<(typeof EXPANDABLE)[number]>;

export function expandRequest(
  call: Pick<Call, 'can'>,
  { project, environment, flag }: Place,
  expand: Expand,
) {
  const shownFlag = () => toSummary(flag, {}, { projectKey: project.key });
  return {
    ...(expand.has('flag') && { flag: shownFlag() }),
    ...(expand.has('project') && { project: toProject(project) }),
    ...(expand.has('environments') && { environments: [showEnvironment(call, project, environment)] }),
    ...(expand.has('resource') && { resource: { kind: 'flag', flag: shownFlag() } }),
  };
}

/** The places of a page of requests, all at once; the flags without their configurations. */
export async function findPlaces(
  db: Db,
  requests: readonly ApprovalRequest[],
): Promise<Map<ApprovalRequest, Place>> {
  if (requests.length === 0) return new Map();
  const projectIds = [...new Set(requests.map(({ projectId }) => projectId))];
  const flagIds = [...new Set(requests.map(({ flagId }) => flagId))];
  const [projects, environments, flags] = await Promise.all([
    findProjects(db, projectIds),
    listEnvironmentsOfProjects(db, projectIds),
    findBareFlags(db, flagIds),
  ]);
  const byId = <Thing extends { id: string }>(things: readonly Thing[]) =>
    new Map(things.map((thing) => [thing.id, thing]));
  const [projectOf, environmentOf, flagOf] = [byId(projects), byId(environments), byId(flags)];
  return new Map(
    requests.flatMap((request) => {
      const project = projectOf.get(request.projectId);
      const environment = environmentOf.get(request.environmentId);
      const flag = flagOf.get(request.flagId);
      // What has just been deleted takes its requests along.
      if (project === undefined || environment === undefined || flag === undefined) return [];
      return [[request, placeOf(project, environment, flag)]];
    }),
  );
}
