// Routes that list the flags which have a flag as a prerequisite: in all environments, or in one.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { Link, linkTo, Links } from '../links.ts';
import { ByEnvironment, openEnvironment, openProject } from '../find-project.ts';
import { ByFlag, readFlag } from './read-flag.ts';
import { listDependents, type Dependent } from './store-references.ts';
import { flagPath, flagSite } from './representation.ts';
import { requireBeta } from '../version.ts';

const DependentSchema = Type.Object({
  name: Type.Optional(Type.String()),
  key: Type.String(),
  _links: Links,
  _site: Link,
});

const getDependents = route(
  {
    id: 'getDependentFlags',
    method: 'GET',
    path: '/flags/{projectKey}/{featureFlagKey}/dependent-flags',
    summary: 'List the flags that have this one as a prerequisite',
    description: 'Takes the header `LD-API-Version: beta`.',
    access: { action: 'viewProject' },
    params: ByFlag,
    reply: {
      200: Type.Object(
        {
          items: Type.Array(
            Type.Object({
              name: Type.Optional(Type.String()),
              key: Type.String(),
              environments: Type.Array(DependentSchema),
            }),
          ),
          totalCount: Type.Integer(),
          _links: Links,
          _site: Link,
        },
        { $id: 'MultiEnvironmentDependentFlags' },
      ),
    },
  },
  async (call, { db }) => {
    requireBeta(call);
    const { projectKey, featureFlagKey } = call.params;
    const project = await openProject(call, db, projectKey);
    const { flag, environments } = await readFlag(db, project, featureFlagKey);
    const byKey = Map.groupBy(await listDependents(db, flag.id), ({ key }) => key);
    const self = flagPath(project.key, flag.key);
    return {
      items: [...byKey].map(([key, dependents]) => ({
        name: dependents[0]!.name,
        key,
        environments: dependents.map((dependent) => ({
          name: dependent.environmentName,
          key: dependent.environmentKey,
          ...linksOf(project.key, dependent),
        })),
      })),
      totalCount: byKey.size,
      _links: { self: linkTo(`${self}/dependent-flags`), parent: linkTo(self) },
      _site: flagSite(project.key, environments[0]?.key ?? '', flag.key),
    };
  },
);

const getDependentsIn = route(
  {
    id: 'getDependentFlagsByEnv',
    method: 'GET',
    path: '/flags/{projectKey}/{environmentKey}/{featureFlagKey}/dependent-flags',
    summary: 'List the flags that have this one as a prerequisite in an environment',
    description: 'Takes the header `LD-API-Version: beta`.',
    access: { action: 'viewProject' },
    params: Type.Object({ ...ByEnvironment.properties, ...ByFlag.properties }),
    reply: {
      200: Type.Object(
        { items: Type.Array(DependentSchema), totalCount: Type.Integer(), _links: Links, _site: Link },
        { $id: 'DependentFlagsByEnvironment' },
      ),
    },
  },
  async (call, { db }) => {
    requireBeta(call);
    const { projectKey, environmentKey, featureFlagKey } = call.params;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const { flag } = await readFlag(db, project, featureFlagKey, [environment.key]);
    const dependents = await listDependents(db, flag.id, environment.id);
    return {
      items: dependents.map((dependent) => ({
        name: dependent.name,
        key: dependent.key,
        ...linksOf(project.key, dependent),
      })),
      totalCount: dependents.length,
      _links: {
        self: linkTo(`/flags/${project.key}/${environment.key}/${flag.key}/dependent-flags`),
        parent: linkTo(flagPath(project.key, flag.key)),
      },
      _site: flagSite(project.key, environment.key, flag.key),
    };
  },
);

function linksOf(projectKey: string, { key, environmentKey }: Dependent) {
  return {
    _links: { self: linkTo(flagPath(projectKey, key)), parent: linkTo(`/flags/${projectKey}`) },
    _site: flagSite(projectKey, environmentKey, key),
  };
}

export const dependentFlagRoutes = [getDependents, getDependentsIn];
