// Routes of the links of a flag to external resources: list, get, create, patch, delete.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Change } from '../../kernel/change/change.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { ByFlag, readFlag } from '../feature-flags/read-flag.ts';
import { lockFlag } from '../feature-flags/store.ts';
import { Links, linkTo } from '../links.ts';
import { requireInAnyEnvironment, openProject, unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import type { Project } from '../projects/project.ts';
import { requireBeta } from '../version.ts';
import {
  FlagLinkPost,
  FlagLinkSchema,
  MAX_LINKS,
  patchFlagLink,
  toFlagLink,
  type FlagLink,
} from './model.ts';
import { insertFlagLink, deleteFlagLink, findFlagLink, listFlagLinks, updateFlagLink } from './store.ts';

const PATH = '/flag-links/projects/{projectKey}/flags/{featureFlagKey}';
const BETA = 'Takes the header `LD-API-Version: beta`.';
const ByLink = Type.Object({ ...ByFlag.properties, id: Type.String() });
const [CREATE, UPDATE, DELETE] = ['createFlagLink', 'updateFlagLink', 'deleteFlagLink'] as const;

const list = route(
  {
    id: 'getFlagLinks',
    method: 'GET',
    path: PATH,
    summary: 'List the links of a flag',
    description: BETA,
    access: { action: 'viewProject' },
    params: ByFlag,
    reply: {
      200: Type.Object(
        { items: Type.Array(FlagLinkSchema), totalCount: Type.Integer(), _links: Links },
        { $id: 'FlagLinkCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    requireBeta(call);
    const { flag, path } = await open(call, db);
    const items = (await listFlagLinks(db, flag.id)).map((link) => toFlagLink(link, path));
    return { items, totalCount: items.length, _links: { self: linkTo(path) } };
  },
);

const get = route(
  {
    id: 'getFlagLink',
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Get a link of a flag, by its ID or its key',
    description: BETA,
    access: { action: 'viewProject' },
    params: ByLink,
    reply: { 200: FlagLinkSchema },
  },
  async (call, { db }) => {
    requireBeta(call);
    const { flag, path } = await open(call, db);
    return toFlagLink(await read(db, flag, call.params.id), path);
  },
);

const post = route(
  {
    id: 'createFlagLink',
    method: 'POST',
    path: PATH,
    summary: 'Link a flag to something outside',
    description: BETA,
    access: { action: CREATE },
    params: ByFlag,
    body: FlagLinkPost,
    reply: { 201: FlagLinkSchema },
  },
  async (call, { changes }) => {
    requireBeta(call);
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      const linked = await open(call, db, 'hold');
      const resource = await requireInAnyEnvironment(call, db, CREATE, linked);
      const id = newId(call.now);
      const { key = id, timestamp = call.now, ...body } = call.body;
      const fields = { id, flagId: linked.flag.id, key, memberId: call.caller.member.id, timestamp, ...body };
      const link: FlagLink = { ...fields, version: 1, createdAt: call.now };
      const links = await listFlagLinks(db, linked.flag.id);
      if (links.length >= MAX_LINKS) throw problem('body', `would be one more than ${MAX_LINKS} links`);
      if (!(await insertFlagLink(db, link)))
        throw new Failure('conflict', `Duplicate flag link key "${key}"`, { code: 'key_exists' });
      const after = toFlagLink(link, linked.path);
      record(tx, linked.flag, { action: CREATE, resource }, { verb: 'added a link to', after });
      return after;
    });
    return reply(201, shown, { location: shown._links['self']!.href });
  },
);

const patch = route(
  {
    id: 'updateFlagLink',
    method: 'PATCH',
    path: `${PATH}/{id}`,
    summary: 'Change the title or the description of a link by JSON patch',
    description: BETA,
    access: { action: UPDATE },
    params: ByLink,
    ...takesPatches('FlagLink', { json: true }),
    reply: { 200: FlagLinkSchema },
  },
  async (call, { changes }) => {
    requireBeta(call);
    const asked = readDocumentPatch(call, ['json']);
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      const linked = await open(call, db, 'hold');
      const resource = await requireInAnyEnvironment(call, db, UPDATE, linked);
      const before = await read(db, linked.flag, call.params.id);
      const edited = patchFlagLink(before, asked, linked.path);
      if (areEqual(edited, before)) return toFlagLink(before, linked.path);
      const link = { ...edited, version: before.version + 1 };
      await updateFlagLink(db, before, link);
      const after = toFlagLink(link, linked.path);
      record(
        tx,
        linked.flag,
        { action: UPDATE, resource },
        {
          verb: 'changed a link of',
          before: toFlagLink(before, linked.path),
          after,
          comment: asked.comment,
          update: updateOf(asked),
        },
      );
      return after;
    });
    return shown;
  },
);

const del = route(
  {
    id: 'deleteFlagLink',
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Delete a link, by its ID or its key',
    description: BETA,
    access: { action: DELETE },
    params: ByLink,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    requireBeta(call);
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const linked = await open(call, db, 'hold');
      const resource = await requireInAnyEnvironment(call, db, DELETE, linked);
      const link = await read(db, linked.flag, call.params.id);
      await deleteFlagLink(db, link);
      const before = toFlagLink(link, linked.path);
      record(tx, linked.flag, { action: DELETE, resource }, { verb: 'removed a link of', before });
    });
    return reply(204);
  },
);

interface LinkedFlag {
  project: Project;
  flag: Flag;
  path: string;
}

type Asking = Pick<Call, 'can'> & { params: { projectKey: string; featureFlagKey: string } };

/** With `hold`, locks the flag until the transaction ends. */
async function open(call: Asking, db: Db, hold?: 'hold'): Promise<LinkedFlag> {
  const { projectKey, featureFlagKey } = call.params;
  const project = await openProject(call, db, projectKey);
  if (hold !== undefined) await lockFlag(db, project.id, featureFlagKey);
  const { flag } = await readFlag(db, project, featureFlagKey, []);
  return { project, flag, path: `/flag-links/projects/${project.key}/flags/${flag.key}` };
}

async function read(db: Db, flag: Flag, name: string): Promise<FlagLink> {
  const link = await findFlagLink(db, flag.id, name);
  if (link === undefined) throw unknownThing('flag link', name);
  return link;
}

function record(
  tx: ChangeTransaction,
  { name }: Flag,
  access: Change['accesses'][0],
  change: Pick<Change, 'verb' | 'before' | 'after' | 'comment' | 'update'>,
): void {
  tx.record({ accesses: [access], kind: 'flag', name, ...change });
}

export const flagLinkRoutes = [list, get, post, patch, del];
