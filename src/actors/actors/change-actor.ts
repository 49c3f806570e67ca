// Creates, changes and deletes Actors, each in one transaction with its audit entry.
import type { Change } from '../../kernel/change/change.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { tooMany } from '../failures.ts';
import { checkActorName } from '../resource-names.ts';
import { removeActionsOf } from '../schedules/change-schedule.ts';
import { removeWebhooksOf } from '../webhooks/change-webhook.ts';
import { saveStoreEntry } from '../actor-store/store-entries.ts';
import { actorNotFound, actorResource } from './access.ts';
import { applyDraft, draftVersion, type VersionDraft } from './draft-version.ts';
import { prepareSealing } from './env-vars.ts';
import {
  changeDetails,
  changeRunOptions,
  DEFAULT_RUN_OPTIONS,
  MAX_ACTORS,
  MAX_TAGS,
  type Actor,
  type CreateActor,
  type SentActor,
} from './model.ts';
import {
  countActors,
  deleteActor,
  findActorByName,
  findFreeActorName,
  insertActor,
  lockActor,
  lockActorNames,
  updateActor,
  type ActorFields,
} from './store.ts';
import { countTags, deleteTag, findBuildStatus, setTag } from './store-tags.ts';
import { findVersion, findVersionTotals, insertVersion, updateVersion } from './store-versions.ts';
import {
  checkTag,
  checkVersionNumber,
  limitReached,
  MAX_ACTOR_SOURCE_BYTES,
  MAX_VERSIONS,
  toAuditedVersion,
  type ActorVersion,
  type SentVersion,
} from './version.ts';

export const PURGE_ACTOR = 'actors.purge';

type Caller = ChangeActor & { caller: KnownCaller };

export async function createActor(
  kernel: Kernel,
  call: Caller,
  sent: Static<typeof CreateActor>,
): Promise<Actor> {
  const { caller, now } = call;
  const userId = accountOf(caller).id;
  if (sent.name != null) checkActorName(sent.name);
  const { boundary } = await kernel.identity.initiatorOf(caller, now);
  const fields = fieldsAfter(BLANK, sent, boundary);
  const drafts = await draftVersions(kernel, sent.versions);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await shareLockAccount(db, caller);
    await lockActorNames(db, userId);
    if ((await countActors(db, userId)) >= MAX_ACTORS) throw tooMany('Actors', MAX_ACTORS, 'too-many-actors');
    const name = sent.name ?? (await findFreeActorName(db, [userId], 'my-actor'));
    await checkNameFree(db, userId, name);
    const actor = await insertActor(db, userId, { ...fields, name }, now);
    const versions = await upsertVersions(db, kernel.secrets, actor, { drafts, boundary }, now);
    if (actor.isPublic) await saveStoreEntry(db, actor);
    tx.record({
      ...changeOf('createActor', 'created', actor),
      after: { ...audited(actor), versions: versions.map(toAuditedVersion) },
    });
    return actor;
  });
}

export async function changeActor(
  kernel: Kernel,
  call: Caller,
  opened: Actor,
  sent: SentActor,
): Promise<Actor> {
  const { caller, now } = call;
  const { name, taggedBuilds } = sent;
  if (name != null) checkActorName(name);
  const drafts = await draftVersions(kernel, sent.versions);
  const { boundary } = await kernel.identity.initiatorOf(caller, now);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    if (name != null) await lockActorNames(db, opened.userId);
    const before = await lockOwnActor(db, opened);
    if (name != null && name.toLowerCase() !== before.name.toLowerCase())
      await checkNameFree(db, before.userId, name);
    const actor = await updateActor(db, before.id, fieldsAfter(before, sent, boundary), now);
    const versions = await upsertVersions(db, kernel.secrets, actor, { drafts, boundary }, now);
    if (taggedBuilds != null) await changeTags(db, actor.id, taggedBuilds);
    if (before.isPublic || actor.isPublic) await saveStoreEntry(db, actor);
    tx.record({
      ...changeOf('updateActor', 'updated', actor),
      before: audited(before),
      after: {
        ...audited(actor),
        ...(versions.length > 0 && { versions: versions.map(toAuditedVersion) }),
        ...(taggedBuilds != null && { taggedBuilds }),
      },
    });
    return actor;
  });
}

/** Deletes the Actor now; due work aborts its builds and runs, and deletes what is left of them. */
export async function removeActor(kernel: Kernel, call: Caller, opened: Actor): Promise<void> {
  const { now } = call;
  await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await removeActionsOf(tx, opened);
    const before = await lockOwnActor(db, opened);
    await removeActionsOf(tx, opened);
    const { id, userId } = before;
    await removeWebhooksOf(db, id, now);
    await deleteActor(db, id);
    await schedule(
      db,
      { id: `${PURGE_ACTOR}:${id}`, kind: PURGE_ACTOR, payload: JSON.stringify({ id, userId }), dueAt: now },
      now,
    );
    tx.record({ ...changeOf('deleteActor', 'deleted', before), before: audited(before) });
  });
}

/** Locks the Actor that was opened before the transaction; it may be gone, or belong to somebody else by now. */
export async function lockOwnActor(tx: Db, opened: Actor): Promise<Actor> {
  const actor = await lockActor(tx, opened.id);
  if (actor === undefined || actor.userId !== opened.userId) throw actorNotFound();
  return actor;
}

/** Checks the versions before the transaction. */
export async function draftVersions(
  { secrets }: Pick<Kernel, 'secrets'>,
  sent: readonly SentVersion[] | null | undefined,
): Promise<VersionDraft[]> {
  const drafts: VersionDraft[] = [];
  for (const version of sent ?? []) {
    checkVersionNumber(version.versionNumber);
    drafts.push(await draftVersion(version));
  }
  await prepareSealing(
    secrets,
    (sent ?? []).flatMap(({ envVars }) => envVars ?? []),
  );
  return drafts;
}

/** The caller holds the lock of the Actor. */
async function upsertVersions(
  tx: Db,
  secrets: SecretBox,
  { id: actorId }: Actor,
  { drafts, boundary }: { drafts: readonly VersionDraft[]; boundary: string | undefined },
  now: number,
): Promise<ActorVersion[]> {
  const versions: ActorVersion[] = [];
  for (const draft of drafts) {
    const number = draft.sent.versionNumber!;
    const before = await findVersion(tx, actorId, number);
    const created = { actorId, number, createdAt: before?.createdAt ?? now };
    const after = await applyDraft(secrets, before, draft, created, boundary);
    await saveVersion(tx, before, after);
    versions.push(after);
  }
  return versions;
}

/** Inserts or updates the version, within the limits of its Actor. */
export async function saveVersion(
  tx: Db,
  before: ActorVersion | undefined,
  after: ActorVersion,
): Promise<void> {
  const { actorId } = after;
  if (before === undefined) {
    const { count, next } = await findVersionTotals(tx, actorId);
    if (count >= MAX_VERSIONS)
      throw limitReached(`An Actor can have ${MAX_VERSIONS} versions: delete one first.`);
    await insertVersion(tx, after, next);
  } else await updateVersion(tx, after);
  if (after.source === before?.source) return;
  const { sourceBytes } = await findVersionTotals(tx, actorId);
  if (sourceBytes <= MAX_ACTOR_SOURCE_BYTES) return;
  throw limitReached(
    `The source files of all versions of an Actor can have ${MAX_ACTOR_SOURCE_BYTES.toLocaleString('en')} bytes: ` +
      'upload them as archives instead, or delete a version.',
  );
}

async function changeTags(
  tx: Db,
  actorId: string,
  tags: NonNullable<SentActor['taggedBuilds']>,
): Promise<void> {
  for (const [tag, build] of Object.entries(tags)) {
    if (build === null) {
      await deleteTag(tx, actorId, tag);
      continue;
    }
    checkTag(tag, 'taggedBuilds');
    const status = await findBuildStatus(tx, actorId, build.buildId);
    if (status === undefined)
      throw new Failure('not-found', `The Actor has no build ${build.buildId}`, { code: 'build-not-found' });
    if (status !== 'SUCCEEDED')
      throw problem('taggedBuilds', `cannot give ${tag} to build ${build.buildId}: it is ${status}`);
    await setTag(tx, actorId, tag, build.buildId);
  }
  if ((await countTags(tx, actorId)) > MAX_TAGS)
    throw limitReached(`An Actor can have ${MAX_TAGS} tagged builds.`);
}

async function checkNameFree(tx: Db, userId: string, name: string): Promise<void> {
  if ((await findActorByName(tx, userId, name)) === undefined) return;
  throw new Failure('conflict', `You have another Actor of the name "${name}", in this case or another`, {
    code: 'actor-name-not-unique',
  });
}

const BLANK: ActorFields = {
  name: '',
  title: null,
  description: null,
  isPublic: false,
  permissionLevel: 'FULL_PERMISSIONS',
  runOptions: DEFAULT_RUN_OPTIONS,
  details: {},
};

function fieldsAfter(before: ActorFields, sent: SentActor, boundary: string | undefined): ActorFields {
  const standbyBoundary = sent.actorStandby === undefined ? before.standbyBoundary : boundary;
  return {
    name: sent.name ?? before.name,
    title: sent.title === undefined ? before.title : sent.title,
    description: sent.description === undefined ? before.description : sent.description,
    isPublic: sent.isPublic ?? before.isPublic,
    permissionLevel: sent.actorPermissionLevel ?? before.permissionLevel,
    runOptions: changeRunOptions(before.runOptions, sent),
    details: changeDetails(before.details, sent),
    ...(standbyBoundary !== undefined && { standbyBoundary }),
  };
}

export function changeOf(action: string, done: string, actor: Actor): Change {
  return {
    accesses: [{ action, resource: actorResource(actor) }],
    kind: 'actor',
    name: actor.name,
    verb: `${done} the Actor`,
    ownerId: actor.userId,
  };
}

function audited({ id, name, title, description, isPublic, permissionLevel, runOptions, details }: Actor) {
  const { exampleRunInput: _example, ...others } = details;
  return { id, name, title, description, isPublic, permissionLevel, runOptions, ...others };
}
