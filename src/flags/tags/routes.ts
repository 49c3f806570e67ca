// Lists the tags in use in the projects that the caller may see, by the kinds of resources that have tags.
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { PlainText, Type, problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { PageQuery, sliceOf } from '../lists/list-query.ts';
import { listProjectNames, type ProjectName } from '../projects/store.ts';
import { projectResource } from '../policy/resources.ts';
import { listEnvironmentTags, listFlagTags, listSegmentTags } from './store.ts';

const TAGGED_KINDS = ['flag', 'project', 'environment', 'segment'] as const;
type TaggedKind = (typeof TAGGED_KINDS)[number];

/** Kinds that clients know, but that do not exist here. */
const OTHER_KINDS = ['metric', 'aiconfig', 'view'];

/** Returns all kinds if none is requested. */
function readKinds(asked: readonly string[] = []): readonly TaggedKind[] {
  for (const kind of asked) {
    if ([...TAGGED_KINDS, ...OTHER_KINDS].includes(kind)) continue;
    throw problem('query.kind', `must be one of ${[...TAGGED_KINDS, ...OTHER_KINDS].join(', ')}`);
  }
  return asked.length === 0 ? TAGGED_KINDS : TAGGED_KINDS.filter((kind) => asked.includes(kind));
}

const getTags = route(
  {
    id: 'getTags',
    method: 'GET',
    path: '/tags',
    summary: 'List the tags in use, sorted',
    access: { action: 'viewProject' },
    query: Type.Object({
      ...PageQuery,
      kind: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only of such things: flag, project, environment, segment',
        }),
      ),
      pre: Type.Optional(PlainText({ description: 'Only tags that begin so' })),
      archived: Type.Boolean({ default: false, description: 'Those of archived flags, too' }),
    }),
    list: Type.String(),
  },
  async (call, { db }) => {
    const { kind, pre = '', archived } = call.query;
    const kinds = readKinds(kind);
    const names = await listProjectNames(db);
    const projects = await filterInSlices(names, (project) => call.can(projectResource(project)));
    if (projects.length === 0) call.requirePermission('proj/*');
    const found = await Promise.all(kinds.map((one) => tagsOf(db, one, projects, archived)));
    const tags = [...new Set(found.flat())].filter((tag) => tag.startsWith(pre)).sort();
    const slice = sliceOf(call.query, 1000, 1000);
    return new Page(tags.slice(slice.offset, slice.offset + slice.limit), tags.length, slice);
  },
);

async function tagsOf(
  db: Db,
  kind: TaggedKind,
  projects: readonly ProjectName[],
  withArchived: boolean,
): Promise<string[]> {
  const ids = projects.map(({ id }) => id);
  switch (kind) {
    case 'flag':
      return await listFlagTags(db, ids, withArchived);
    case 'environment':
      return await listEnvironmentTags(db, ids);
    case 'segment':
      return await listSegmentTags(db, ids);
    default:
      return projects.flatMap(({ tags }) => tags);
  }
}

export const tagRoutes = [getTags];
