// The versions of an Actor.
import { Failure } from '../../kernel/failure.ts';
import { JsonText, reply, route, type Route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { openActor } from './access.ts';
import { changeOf, draftVersions, lockOwnActor, saveVersion } from './change-actor.ts';
import { applyDraft, draftVersion } from './draft-version.ts';
import { prepareSealing } from './env-vars.ts';
import { ByActor, WHOLE_VERSION, withVersions } from './routes.ts';
import { touchActor } from './store.ts';
import { deleteVersion, findVersion, findVersionTotals } from './store-versions.ts';
import {
  checkVersionNumber,
  SentVersion,
  ShownVersion,
  toAuditedVersion,
  toVersionJson,
  type ActorVersion,
} from './version.ts';

export const ByVersion = Type.Object({ ...ByActor.properties, versionNumber: Type.String() });

const VIEW = { action: 'viewActorVersion', ofOwner: true } as const;
const UPDATE = { action: 'updateActor', ofOwner: true } as const;

export function versionNotFound(number: string): Failure {
  return new Failure('not-found', `The Actor has no version ${number}`);
}

function shown(version: ActorVersion): JsonText {
  return new JsonText(toVersionJson(version, WHOLE_VERSION));
}

const list = route(
  {
    id: 'act_versions_get',
    method: 'GET',
    path: '/actors/{actorId}/versions',
    summary: 'List the versions of an Actor, in the order in which they were added',
    access: VIEW,
    params: ByActor,
    reply: { 200: Type.Object({ total: Type.Integer(), items: Type.Array(ShownVersion) }) },
  },
  async (call, kernel) => {
    const actor = await openActor(kernel, call, call.params.actorId, 'viewActorVersion');
    const { count } = await findVersionTotals(kernel.db, actor.id);
    const head = `{"total":${count},"items":[`;
    return await withVersions(kernel.db, actor.id, WHOLE_VERSION, { status: 200, head, tail: ']}' });
  },
);

const create = route(
  {
    id: 'act_versions_post',
    method: 'POST',
    path: '/actors/{actorId}/versions',
    summary: 'Add a version to an Actor',
    access: UPDATE,
    params: ByActor,
    body: SentVersion,
    reply: { 201: ShownVersion },
  },
  async (call, kernel) => {
    const { now, body } = call;
    const opened = await openActor(kernel, call, call.params.actorId, 'updateActor');
    const number = checkVersionNumber(body.versionNumber);
    const [draft] = await draftVersions(kernel, [body]);
    const { boundary } = await kernel.identity.initiatorOf(call.caller, now);
    const version = await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      const actor = await lockOwnActor(db, opened);
      if ((await findVersion(db, actor.id, number)) !== undefined) {
        throw new Failure('conflict', `The Actor has a version ${number} already`, {
          code: 'version-already-exists',
        });
      }
      const created = { actorId: actor.id, number, createdAt: now };
      const after = await applyDraft(kernel.secrets, undefined, draft!, created, boundary);
      await saveVersion(db, undefined, after);
      await touchActor(db, actor.id, now);
      tx.record({
        ...changeOf('updateActor', `added version ${number} to`, actor),
        after: toAuditedVersion(after),
      });
      return after;
    });
    return reply(201, shown(version));
  },
);

const get = route(
  {
    id: 'act_version_get',
    method: 'GET',
    path: '/actors/{actorId}/versions/{versionNumber}',
    summary: 'Get a version of an Actor',
    access: VIEW,
    params: ByVersion,
    reply: { 200: ShownVersion },
  },
  async (call, kernel) => {
    const { actorId, versionNumber } = call.params;
    const actor = await openActor(kernel, call, actorId, 'viewActorVersion');
    const version = await findVersion(kernel.db, actor.id, versionNumber);
    if (version === undefined) throw versionNotFound(versionNumber);
    return shown(version);
  },
);

const update = route(
  {
    id: 'act_version_put',
    method: 'PUT',
    path: '/actors/{actorId}/versions/{versionNumber}',
    aliases: [{ id: 'act_version_post', method: 'POST' }],
    summary: 'Change a version of an Actor',
    description: 'What is absent stays as it is. The number cannot be changed.',
    access: UPDATE,
    params: ByVersion,
    body: SentVersion,
    reply: { 200: ShownVersion },
  },
  async (call, kernel) => {
    const { now, body } = call;
    const { actorId, versionNumber: number } = call.params;
    const opened = await openActor(kernel, call, actorId, 'updateActor');
    if (body.versionNumber != null && body.versionNumber !== number)
      throw problem('versionNumber', `cannot be changed: add a version ${body.versionNumber} instead`);
    const draft = await draftVersion(body);
    await prepareSealing(kernel.secrets, body.envVars ?? []);
    const { boundary } = await kernel.identity.initiatorOf(call.caller, now);
    const version = await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      const actor = await lockOwnActor(db, opened);
      const before = await findVersion(db, actor.id, number);
      if (before === undefined) throw versionNotFound(number);
      const after = await applyDraft(kernel.secrets, before, draft, before, boundary);
      await saveVersion(db, before, after);
      await touchActor(db, actor.id, now);
      tx.record({
        ...changeOf('updateActor', `updated version ${number} of`, actor),
        before: toAuditedVersion(before),
        after: toAuditedVersion(after),
      });
      return after;
    });
    return shown(version);
  },
);

const remove = route(
  {
    id: 'act_version_delete',
    method: 'DELETE',
    path: '/actors/{actorId}/versions/{versionNumber}',
    summary: 'Delete a version of an Actor; its builds stay',
    access: UPDATE,
    params: ByVersion,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { actorId, versionNumber: number } = call.params;
    const opened = await openActor(kernel, call, actorId, 'updateActor');
    await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      const actor = await lockOwnActor(db, opened);
      const before = await findVersion(db, actor.id, number);
      if (before === undefined) throw versionNotFound(number);
      if ((await findVersionTotals(db, actor.id)).count === 1) {
        throw new Failure('invalid', 'The last version of an Actor cannot be deleted', {
          code: 'too-few-versions',
        });
      }
      await deleteVersion(db, actor.id, number);
      await touchActor(db, actor.id, call.now);
      tx.record({
        ...changeOf('updateActor', `deleted version ${number} of`, actor),
        before: toAuditedVersion(before),
      });
    });
    return reply(204);
  },
);

export const versionRoutes = [list, create, get, update, remove] as Route[];
