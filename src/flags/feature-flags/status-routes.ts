// Routes of flag statuses: of one flag in all environments, of all flags in one environment, of one flag in one.
import { chunk } from '../../kernel/collections/chunk.ts';
import { placingLinks, publicPathOf } from '../../kernel/http/public-path.ts';
import { JsonText, route } from '../../kernel/http/route.ts';
import { joinTexts } from '../../kernel/json/join-texts.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { linkTo, Links } from '../links.ts';
import { ByEnvironment, openEnvironment, openProject, unknownThing } from '../find-project.ts';
import { listWholeConfigs } from './store-lists.ts';
import { ByFlag, EnvQuery, readFlag } from './read-flag.ts';
import {
  couldBeLaunched,
  statusFactsOf,
  isUniform,
  STATUS_FIELDS,
  flagStatusOf,
  showStatus,
} from './status.ts';
import { findFlagUsage, listFlagUsage } from './store-usage.ts';

const Status = Type.Object({ ...STATUS_FIELDS, _links: Links }, { $id: 'FlagStatusRep' });

const getStatusAcrossEnvironments = route(
  {
    id: 'getFeatureFlagStatusAcrossEnvironments',
    method: 'GET',
    path: '/flag-status/{projectKey}/{featureFlagKey}',
    summary: 'Get the status of a flag in its environments',
    access: { action: 'viewProject' },
    params: ByFlag,
    query: Type.Object(EnvQuery),
    reply: {
      200: Type.Object(
        {
          environments: Type.Record(Type.String(), Type.Object(STATUS_FIELDS)),
          key: Type.String(),
          _links: Links,
        },
        { $id: 'FeatureFlagStatusAcrossEnvironments' },
      ),
    },
  },
  async (call, { db }) => {
    const { projectKey, featureFlagKey } = call.params;
    const project = await openProject(call, db, projectKey);
    const { flag, environments } = await readFlag(db, project, featureFlagKey, call.query.env);
    const usage = await findFlagUsage(db, flag.id);
    const statuses = environments.map(({ id, key }) => {
      const used = usage.get(id);
      return [
        key,
        showStatus(flagStatusOf(statusFactsOf(flag, flag.environments[key]!), used, call.now), used),
      ];
    });
    return {
      environments: Object.fromEntries(statuses) as Record<string, ReturnType<typeof showStatus>>,
      key: flag.key,
      _links: {
        self: linkTo(`/flag-status/${project.key}/${flag.key}`),
        parent: linkTo(`/flags/${project.key}/${flag.key}`),
      },
    };
  },
);

const getStatuses = route(
  {
    id: 'getFeatureFlagStatuses',
    method: 'GET',
    path: '/flag-statuses/{projectKey}/{environmentKey}',
    summary: 'List the statuses of all flags in an environment',
    description: 'Of those that are not archived, by their keys.',
    access: { action: 'viewProject' },
    params: ByEnvironment,
    reply: {
      200: Type.Object(
        { items: Type.Array(Status), totalCount: Type.Integer(), _links: Links },
        { $id: 'FeatureFlagStatuses' },
      ),
    },
  },
  async (call, { db, publicUrl }) => {
    const { projectKey, environmentKey } = call.params;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const flags = await listFlagUsage(db, project.id, environment.id);
    const asked = flags.filter((flag) => flag.usage !== undefined && couldBeLaunched(flag, call.now));
    const uniform = await findUniform(
      db,
      asked.map(({ id }) => id),
      environment.id,
    );
    const at = `/flag-statuses/${project.key}/${environment.key}`;
    const parent = `/flags/${project.key}`;
    const placing = placingLinks(publicPathOf(publicUrl));
    // Written here, since there are as many as flags: their keys are the same in JSON.
    const links = JSON.stringify({ self: linkTo(`${at}/*`), parent: linkTo(`${parent}/*`) }, placing).split(
      '*',
    );
    const [before = '', between = '', after = ''] = links;
    const items = await mapInSlices(flags, (flag) => {
      const { key, usage } = flag;
      flag.isUniform = uniform.has(flag.id);
      const name = flagStatusOf(flag, usage, call.now);
      const shown =
        usage === undefined ? `{"name":"${name}"` : JSON.stringify(showStatus(name, usage)).slice(0, -1);
      return `${shown},"_links":${before}${key}${between}${key}${after}}`;
    });
    const own = JSON.stringify({ self: linkTo(at), parent: linkTo(parent) }, placing);
    return new JsonText(joinTexts('{"items":[', items, `],"totalCount":${flags.length},"_links":${own}}`));
  },
);

/** Which of the flags serve the same variation to everyone. */
async function findUniform(db: Db, flagIds: readonly string[], environmentId: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const batch of chunk(flagIds, 200)) {
    const configs = await listWholeConfigs(db, batch, [environmentId]);
    for (const [id, byEnvironment] of configs) {
      const config = byEnvironment.get(environmentId);
      if (config !== undefined && isUniform(config)) found.add(id);
    }
  }
  return found;
}

const getStatus = route(
  {
    id: 'getFeatureFlagStatus',
    method: 'GET',
    path: '/flag-statuses/{projectKey}/{environmentKey}/{featureFlagKey}',
    summary: 'Get the status of a flag in an environment',
    access: { action: 'viewProject' },
    params: Type.Object({ ...ByEnvironment.properties, ...ByFlag.properties }),
    reply: { 200: Status },
  },
  async (call, { db }) => {
    const { projectKey, environmentKey, featureFlagKey } = call.params;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const { flag } = await readFlag(db, project, featureFlagKey, [environment.key]);
    const config = flag.environments[environment.key];
    if (config === undefined) throw unknownThing('environment', environmentKey);
    const usage = (await findFlagUsage(db, flag.id)).get(environment.id);
    const self = `/flag-statuses/${project.key}/${environment.key}/${flag.key}`;
    return {
      ...showStatus(flagStatusOf(statusFactsOf(flag, config), usage, call.now), usage),
      _links: { self: linkTo(self), parent: linkTo(`/flags/${project.key}/${flag.key}`) },
    };
  },
);

export const flagStatusRoutes = [getStatusAcrossEnvironments, getStatuses, getStatus];
