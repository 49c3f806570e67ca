// The flags that texts name, in all projects: for code, which knows keys and no project.
import { couldBeKey } from '../../flags/fields.ts';
import { listEnvironmentsOfProjects } from '../../flags/environments/store.ts';
import { listConfigHeads } from '../../flags/feature-flags/store-lists.ts';
import type { Environment } from '../../flags/projects/project.ts';
import { listProjectNames } from '../../flags/projects/store.ts';
import { projectResource } from '../../flags/policy/resources.ts';
import { route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { listFlagsNamed, type NamedFlag } from './store-named.ts';

const MAX_KEYS = 300;
const MAX_FOUND = 300;
/** Of one flag: the critical ones come first. */
const MAX_ENVIRONMENTS = 6;

const FoundFlag = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    project: Type.Object({ key: Type.String(), name: Type.String() }),
    isArchived: Type.Boolean(),
    isReadyToRemove: Type.Boolean({
      description: 'As the last sweep found it: see `ready-to-remove` of the states of flags',
    }),
    environments: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String(),
        isCritical: Type.Boolean(),
        isOn: Type.Boolean(),
      }),
      { description: `The first ${MAX_ENVIRONMENTS}, critical ones before others` },
    ),
    otherEnvironments: Type.Integer({ description: 'How many there are beside these' }),
  },
  { $id: 'FoundFlag' },
);

const findFlagsByKey = route(
  {
    id: 'findFlagsByKey',
    method: 'POST',
    path: '/flags/find',
    summary: 'Find the flags that code names',
    description:
      'In all projects that the caller may view. Words that are no keys of flags find nothing, so that all texts of a file may be sent. It changes nothing.',
    access: { action: 'viewProject' },
    isData: true,
    worksOnFullDisk: true,
    body: Type.Object(
      {
        keys: Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: MAX_KEYS }),
      },
      { $id: 'FlagsToFind', additionalProperties: false },
    ),
    reply: {
      200: Type.Object(
        {
          items: Type.Array(FoundFlag, { description: `By key and project; at most ${MAX_FOUND}` }),
          isPartial: Type.Boolean({ description: 'There are more' }),
        },
        { $id: 'FoundFlags' },
      ),
    },
  },
  async (call, { db }) => {
    const keys = [...new Set(call.body.keys)].filter(couldBeKey);
    const names = await listProjectNames(db);
    const projects = new Map(
      names.filter((one) => call.can(projectResource(one), 'viewProject')).map((one) => [one.id, one]),
    );
    const found = await listFlagsNamed(db, [...projects.keys()], keys, MAX_FOUND + 1);
    const flags = found.slice(0, MAX_FOUND);
    const environments = await environmentsOf(db, flags);
    const all = [...environments.values()].flatMap(({ shown }) => shown.map(({ id }) => id));
    const heads = await listConfigHeads(
      db,
      flags.map(({ id }) => id),
      all,
    );
    const items = flags.map((flag): Static<typeof FoundFlag> => {
      const { id, key, name, projectId, isArchived, isReadyToRemove } = flag;
      const project = projects.get(projectId)!;
      const { shown, others } = environments.get(projectId)!;
      return {
        key,
        name,
        project: { key: project.key, name: project.name },
        isArchived,
        isReadyToRemove,
        environments: shown.map((environment) => ({
          key: environment.key,
          name: environment.name,
          isCritical: environment.critical,
          isOn: heads.get(id)?.get(environment.id)?.on ?? false,
        })),
        otherEnvironments: others,
      };
    });
    return { items, isPartial: found.length > MAX_FOUND };
  },
);

type Db = Parameters<typeof listEnvironmentsOfProjects>[0];

async function environmentsOf(
  db: Db,
  flags: readonly NamedFlag[],
): Promise<Map<string, { shown: Environment[]; others: number }>> {
  const ids = [...new Set(flags.map(({ projectId }) => projectId))];
  const byProject = Map.groupBy(await listEnvironmentsOfProjects(db, ids), ({ projectId }) => projectId);
  return new Map(
    ids.map((id) => {
      const all = byProject.get(id) ?? [];
      const sorted = all.toSorted((one, other) => Number(other.critical) - Number(one.critical));
      const shown = sorted.slice(0, MAX_ENVIRONMENTS);
      return [id, { shown, others: all.length - shown.length }];
    }),
  );
}

export const namedFlagRoutes = [findFlagsByKey];
