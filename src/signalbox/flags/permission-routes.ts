// What the caller may do with a flag or segment, as the flags API would decide about a change of it.
import { couldBeKey } from '../../flags/fields.ts';
import { listEnvironments } from '../../flags/environments/store.ts';
import { findFlags } from '../../flags/feature-flags/store-references.ts';
import { ByProject, openProject, unknownThing } from '../../flags/find-project.ts';
import type { Tagged } from '../../flags/policy/resources.ts';
import { findSegment } from '../../flags/segments/store.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { PermissionAnswers } from '../me/model.ts';
import { decideActions, sampleThings, type ThingPlace } from './permissions.ts';

const FlagPermissionQuestion = Type.Object(
  {
    kind: OneOf(['flag', 'segment']),
    key: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Absent, the answer is whether there could be one with which it may be done',
      }),
    ),
    environmentKey: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Absent, the permission in any environment is enough, as for changes of a whole flag',
      }),
    ),
    actions: Type.Array(PlainText({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 50 }),
  },
  { $id: 'FlagPermissionQuestion', additionalProperties: false },
);

const askFlagPermissions = route(
  {
    id: 'askFlagPermissions',
    method: 'POST',
    path: '/projects/{projectKey}/permissions',
    summary: 'Ask what the caller may do with a flag or segment',
    description:
      'By the rules of the flags API. A key that is not in use is asked about as that of a new one. It changes nothing.',
    access: { action: 'viewProject' },
    isData: true,
    worksOnFullDisk: true,
    params: ByProject,
    body: FlagPermissionQuestion,
    reply: { 200: PermissionAnswers },
  },
  async (call, { db }) => {
    const { caller, body } = call;
    const { kind, environmentKey, actions } = body;
    if (kind === 'segment' && environmentKey === undefined)
      throw problem('/environmentKey', 'is required: a segment is in one environment');
    const project = await openProject(call, db, call.params.projectKey);
    const all = await listEnvironments(db, project.id);
    const environments = all.filter(({ key }) => environmentKey === undefined || key === environmentKey);
    if (environmentKey !== undefined && environments.length === 0)
      throw unknownThing('environment', environmentKey);
    const place: ThingPlace = { kind, project, environments };
    const things =
      body.key === undefined
        ? sampleThings(caller, kind, kind === 'flag' ? project.flagDefaults.tags : [])
        : [await findThing(db, place, body.key)];
    return { answers: await decideActions(caller, place, things, actions) };
  },
);

async function findThing(db: Db, { kind, project, environments }: ThingPlace, key: string): Promise<Tagged> {
  if (!couldBeKey(key)) return { key, tags: [] };
  if (kind === 'flag')
    return (await findFlags(db, project.id, [key])).get(key) ?? { key, tags: project.flagDefaults.tags };
  return (await findSegment(db, environments[0]!.id, key)) ?? { key, tags: [] };
}

export const flagPermissionRoutes = [askFlagPermissions];
