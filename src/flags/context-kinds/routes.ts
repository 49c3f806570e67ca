// Context kinds of a project: list, get, and create or change one.
import { route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';

import { ContextKind } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { ByProject, openProject, unknownThing } from '../find-project.ts';
import { describeFieldChanges } from '../projects/field-changes.ts';
import { lockProject } from '../projects/store.ts';
import { contextKindResource } from '../policy/resources.ts';
import {
  contextKindChanges,
  ContextKindPut,
  ContextKindSchema,
  kindsPath,
  linksOf,
  MAX_KINDS,
  putKind,
  toContextKind,
  UPDATE_CONTEXT_KIND,
} from './model.ts';
import { findContextKind, listContextKinds, upsertContextKind } from './store.ts';

const PATH = '/projects/{projectKey}/context-kinds';
const CREATE = 'createContextKind';

const getContextKinds = route(
  {
    id: 'getContextKindsByProjectKey',
    method: 'GET',
    path: PATH,
    summary: 'List the context kinds of a project',
    description: 'The kind `user` is always among them.',
    access: { action: 'viewProject' },
    params: ByProject,
    reply: {
      200: Type.Object(
        { items: Type.Array(ContextKindSchema), totalCount: Type.Integer(), _links: Links },
        { $id: 'ContextKindsCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const project = await openProject(call, db, call.params.projectKey);
    const kinds = await listContextKinds(db, project);
    return {
      items: kinds.map((kind) => toContextKind(kind, project.key)),
      totalCount: kinds.length,
      _links: { self: linkTo(kindsPath(project.key)), parent: linkTo(`/projects/${project.key}`) },
    };
  },
);

const getContextKind = route(
  {
    id: 'getContextKind',
    method: 'GET',
    path: `${PATH}/{contextKind}`,
    summary: 'Get a context kind',
    access: { action: 'viewProject' },
    params: Type.Object({ ...ByProject.properties, contextKind: Type.String() }),
    reply: { 200: ContextKindSchema },
  },
  async (call, { db }) => {
    const { projectKey, contextKind: key } = call.params;
    const project = await openProject(call, db, projectKey);
    const kind = await findContextKind(db, project, key);
    if (kind === undefined) throw unknownThing('context kind', key);
    return toContextKind(kind, project.key);
  },
);

const putContextKind = route(
  {
    id: 'putContextKind',
    method: 'PUT',
    path: `${PATH}/{contextKind}`,
    summary: 'Make a context kind, or change those of its fields that are given',
    access: { action: '*ContextKind' },
    params: Type.Object({ ...ByProject.properties, contextKind: ContextKind }),
    body: ContextKindPut,
    reply: {
      200: Type.Object({ status: Type.String(), _links: Links }, { $id: 'UpsertResponseRep' }),
    },
  },
  async (call, { changes }) => {
    const { projectKey, contextKind: key } = call.params;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockProject(db, projectKey);
      const project = await openProject(call, db, projectKey);
      const before = await findContextKind(db, project, key);
      const access = {
        action: before === undefined ? CREATE : UPDATE_CONTEXT_KIND,
        resource: contextKindResource(project, key),
      };
      call.requirePermission(access.resource, access.action);
      const after = putKind(key, before, call.body, call.now);
      const fields = before && contextKindChanges(before, after);
      if (fields?.length === 0) return;
      if (before === undefined && (await listContextKinds(db, project)).length >= MAX_KINDS)
        throw problem('path.contextKind', `would be one more than ${MAX_KINDS}`);
      await upsertContextKind(db, project, before, after);
      tx.record({
        accesses: [access],
        kind: 'context-kind',
        name: after.name,
        verb: 'created the context kind',
        ...(fields && describeFieldChanges(fields, 'context kind')),
        ...(before && { before: toContextKind(before, project.key) }),
        after: toContextKind(after, project.key),
      });
    });
    return { status: 'success', _links: linksOf(projectKey, key) };
  },
);

export const contextKindRoutes = [getContextKinds, getContextKind, putContextKind];
