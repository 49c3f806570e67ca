// Flags, segments, projects and environments in the search: seen by those who may view their project.
import type { ProjectName } from '../../flags/projects/store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { pathOf, type FoundItem } from './model.ts';
import type { Searcher, SearchSource } from './source.ts';
import {
  readEnvironmentRecords,
  readFlagRecords,
  readProjectRecords,
  readSegmentRecords,
  type ProjectRecord,
} from './store-flag-records.ts';

/** So many are named in a query; of more the index is read through. */
const MAX_SCOPES = 100;

type Shown = Pick<FoundItem, 'detail' | 'path' | 'resource'>;

function projectSource(
  name: 'flag' | 'segment' | 'project' | 'environment',
  read: (db: Db, ids: readonly string[]) => Promise<ProjectRecord[]>,
  show: (record: ProjectRecord, project: ProjectName) => Shown,
): SearchSource<ProjectRecord> {
  return {
    name,
    kinds: [name],
    read,
    scopesOf: ({ projects, seesAllProjects }: Searcher) =>
      seesAllProjects || projects.size > MAX_SCOPES ? undefined : [...projects.keys()],
    show: ({ projects }, records) =>
      Promise.resolve(
        records.flatMap((record) => {
          const project = projects.get(record.projectId);
          if (project === undefined) return [];
          const { kind, id, at } = record;
          return { kind, id, title: record.name, ...show(record, project), at };
        }),
      ),
  };
}

export const flagSources = [
  projectSource('flag', readFlagRecords, ({ key }, project) => ({
    detail: `${key} · ${project.name}`,
    path: pathOf('flags', project.key, key),
    resource: `proj/${project.key}:env/*:flag/${key}`,
  })),
  projectSource('segment', readSegmentRecords, ({ key, environmentKey = '' }, project) => ({
    detail: `${key} · ${project.name}, ${environmentKey}`,
    path: `${pathOf('segments', project.key, key)}?env=${encodeURIComponent(environmentKey)}`,
    resource: `proj/${project.key}:env/${environmentKey}:segment/${key}`,
  })),
  projectSource('project', readProjectRecords, ({ key }) => ({
    detail: key,
    path: pathOf('flags', key),
    resource: `proj/${key}`,
  })),
  projectSource('environment', readEnvironmentRecords, ({ key }, project) => ({
    detail: `${key} · ${project.name}`,
    path: `${pathOf('flags', project.key)}?env=${encodeURIComponent(key)}`,
    resource: `proj/${project.key}:env/${key}`,
  })),
];
