// Finds approval requests, by id alone or below a flag in an environment, and reads what replies show with them.
import type { Call } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { showEnvironment } from '../environments/model.ts';
import { listEnvironmentsOfProjects } from '../environments/store.ts';
import { toFlagSummary } from '../feature-flags/representation.ts';
import { findFlagsById } from '../feature-flags/store.ts';
import { openProject, unknownThing } from '../find-project.ts';
import {
  findFlagInEnvironment,
  readFlagInEnvironment,
  readItem,
} from '../planned-changes/find-flag-in-environment.ts';
import {
  toFlagInEnvironment,
  type ByFlagInEnvironmentAndId,
  type FlagInEnvironment,
} from '../planned-changes/flag-in-environment.ts';
import { tryPlan } from '../planned-changes/conflicts.ts';
import { toProject } from '../projects/model.ts';
import { findProjects } from '../projects/store.ts';
import type { ApprovalRequest } from './model.ts';
import {
  toApprovalRequest,
  type ApprovalRequestSchema,
  type APPROVAL_EXPANDABLE,
  type ApprovalPath,
} from './representation.ts';
import { findApprovalRequest } from './store.ts';

export const ById = Type.Object({ id: Type.String() });

export interface RequestWithTarget {
  request: ApprovalRequest;
  target: FlagInEnvironment;
}

type RequestCall = Pick<Call, 'can'> & { params: Static<typeof ById> };

/** Throws `not-found`. With `hold`, locks the request and its flag until the transaction ends. */
export async function openRequest(
  call: RequestCall,
  db: Db,
  via: ApprovalPath,
  hold?: 'hold',
): Promise<RequestWithTarget> {
  const target = await openIn[via](call, db, hold);
  const wanted = { kind: 'approval request', id: call.params.id };
  return { request: await readItem(db, target, findApprovalRequest, wanted, hold), target };
}

type Opener = (call: RequestCall, db: Db, hold?: 'hold') => Promise<FlagInEnvironment>;

const openIn: Record<ApprovalPath, Opener> = {
  flag: (call, db, hold) =>
    readFlagInEnvironment(call, db, call.params as Static<typeof ByFlagInEnvironmentAndId>, hold),
  async all(call, db, hold) {
    const request = await findApprovalRequest(db, call.params.id);
    const target = request && (await findFlagInEnvironment(db, request, hold));
    if (target === undefined) throw unknownThing('approval request', call.params.id);
    await openProject(call, db, target.project.key);
    return target;
  },
};

export type ShownRequest = Static<typeof ApprovalRequestSchema> & ReturnType<typeof toApprovalRequest>;

/** In detail, with the conflicts that the change would have now. */
export async function showRequest(
  db: Db,
  { request, target }: RequestWithTarget,
  via: ApprovalPath,
  now: number,
): Promise<ShownRequest> {
  if (request.status !== 'pending' && request.status !== 'scheduled')
    return toApprovalRequest(request, target, via);
  const conflicts = await tryPlan(db, target.flag, target.environment.key, request.plan, now);
  return toApprovalRequest(request, target, via, conflicts);
}

type Expand = ReadonlySet<(typeof APPROVAL_EXPANDABLE)[number]>;

export function expandRequest(
  call: Pick<Call, 'can'>,
  { project, environment, flag }: FlagInEnvironment,
  expand: Expand,
) {
  const shownFlag = () => toFlagSummary(flag, {}, { projectKey: project.key });
  return {
    ...(expand.has('flag') && { flag: shownFlag() }),
    ...(expand.has('project') && { project: toProject(project) }),
    ...(expand.has('environments') && { environments: [showEnvironment(call, project, environment)] }),
    ...(expand.has('resource') && { resource: { kind: 'flag', flag: shownFlag() } }),
  };
}

/** The flags in environments of a page of requests, in three queries; the flags without their configurations. */
export async function findTargets(
  db: Db,
  requests: readonly ApprovalRequest[],
): Promise<Map<ApprovalRequest, FlagInEnvironment>> {
  if (requests.length === 0) return new Map();
  const projectIds = [...new Set(requests.map(({ projectId }) => projectId))];
  const flagIds = [...new Set(requests.map(({ flagId }) => flagId))];
  const [projects, environments, flags] = await Promise.all([
    findProjects(db, projectIds),
    listEnvironmentsOfProjects(db, projectIds),
    findFlagsById(db, flagIds),
  ]);
  const byId = <Thing extends { id: string }>(things: readonly Thing[]) =>
    new Map(things.map((thing) => [thing.id, thing]));
  const [projectOf, environmentOf, flagOf] = [byId(projects), byId(environments), byId(flags)];
  return new Map(
    requests.flatMap((request) => {
      const project = projectOf.get(request.projectId);
      const environment = environmentOf.get(request.environmentId);
      const flag = flagOf.get(request.flagId);
      // A flag or environment that was deleted in between deletes its requests, too.
      if (project === undefined || environment === undefined || flag === undefined) return [];
      return [[request, toFlagInEnvironment(project, environment, flag)]];
    }),
  );
}
