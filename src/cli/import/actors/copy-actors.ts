// Copies Actors with their versions, and builds those, because builds cannot be copied. Actors that are there already get what they lack.
import {
  differingFields,
  pickFields,
  type RemoteFields,
  attempt,
  reportThing,
  PLANNED,
  type ImportContext,
} from './import-context.ts';
import { copyVersions, type RemoteVersion } from './copy-versions.ts';
import { eachListed } from './remote-lists.ts';

const KIND = 'actors';

export interface RemoteActor extends RemoteFields {
  id: string;
  userId: string;
  name: string;
  username: string;
  versions?: RemoteVersion[];
  taggedBuilds?: Record<string, { buildNumber?: string } | null> | null;
}

const FIELDS = [
  'title',
  'description',
  'isPublic',
  'actorPermissionLevel',
  'isDeprecated',
  'isSourceCodeHidden',
  'seoTitle',
  'seoDescription',
  'categories',
  'pricingInfos',
];
const RUN_OPTIONS = [
  'build',
  'timeoutSecs',
  'memoryMbytes',
  'restartOnError',
  'maxItems',
  'forcePermissionLevel',
];
export const STANDBY_OPTIONS = [
  'isEnabled',
  'desiredRequestsPerActorRun',
  'maxRequestsPerActorRun',
  'idleTimeoutSecs',
  'build',
  'memoryMbytes',
  'disableStandbyFieldsOverride',
  'shouldPassActorInput',
];

/** The fields of an Actor that are copied: those of the platform's shop are not. */
function wantedFields(actor: RemoteActor): RemoteFields {
  const objects: [string, readonly string[]][] = [
    ['defaultRunOptions', RUN_OPTIONS],
    ['exampleRunInput', ['body', 'contentType']],
    ['actorStandby', STANDBY_OPTIONS],
  ];
  return {
    ...pickFields(actor, FIELDS),
    ...Object.fromEntries(
      objects.flatMap(([name, names]) =>
        actor[name] == null ? [] : [[name, pickFields(actor[name] as RemoteFields, names)]],
      ),
    ),
  };
}

export async function copyActors(context: ImportContext): Promise<RemoteActor[]> {
  const copied: RemoteActor[] = [];
  for await (const { id, name } of eachListed<RemoteActor>(context.from, '/actors', { my: 1 })) {
    await attempt(context, { kind: KIND, name }, async () => {
      const actor = await context.from.get<RemoteActor>(`/actors/${id}`);
      await copyActor(context, actor);
      // The sources are not needed any more, and may be large.
      copied.push({
        ...actor,
        versions: (actor.versions ?? []).map(({ versionNumber }) => ({ versionNumber })),
      });
    });
  }
  return copied;
}

async function copyActor(context: ImportContext, actor: RemoteActor): Promise<void> {
  const { to, owner, ids, options } = context;
  const { id, name } = actor;
  const wanted = wantedFields(actor);
  const path = `/actors/${owner.to.username}~${name}`;
  let known = await to.find<RemoteActor>(path);
  const isNew = known === undefined;
  if (known === undefined && !options.isDryRun) {
    known = await to.send<RemoteActor>('POST', '/actors', { name, ...wanted });
  }
  ids.actors.set(id, known?.id ?? PLANNED);
  const differing = known === undefined ? [] : differingFields(wanted, known);
  const notes = await copyVersions(context, actor, known);
  if (isNew) return reportThing(context, { kind: KIND, name, outcome: 'created' });
  if (differing.length > 0 && options.overwrites) {
    if (!options.isDryRun) await to.send('PUT', `/actors/${known!.id}`, wanted);
    notes.changed.push(...differing);
  } else {
    notes.kept.push(...differing);
  }
  const { changed, kept } = notes;
  if (kept.length > 0) {
    const also = changed.length > 0 ? `; changed: ${changed.join(', ')}` : '';
    return reportThing(context, {
      kind: KIND,
      name,
      outcome: 'kept',
      reason: `differs in ${kept.join(', ')}${also}`,
    });
  }
  if (changed.length === 0) return reportThing(context, { kind: KIND, name, outcome: 'unchanged' });
  reportThing(context, { kind: KIND, name, outcome: 'changed', reason: changed.join(', ') });
}

/** The Actor on the target that stands for one of the source; also one of another owner, where the target has it. */
export async function findActorId(
  context: ImportContext,
  sourceId: string,
): Promise<string | { missing: string }> {
  const { from, to, ids, owner } = context;
  const known = ids.actors.get(sourceId);
  if (known !== undefined) return known;
  const actor = await from.find<RemoteActor>(`/actors/${sourceId}`);
  if (actor === undefined) return { missing: `its Actor ${sourceId} is gone` };
  const isOwn = actor.userId === owner.from.id;
  const fullName = `${isOwn ? owner.to.username : actor.username}~${actor.name}`;
  const found = await to.find<RemoteActor>(`/actors/${fullName}`);
  if (found === undefined)
    return { missing: `its Actor ${actor.username}/${actor.name} is not on ${to.host}` };
  ids.actors.set(sourceId, found.id);
  return found.id;
}

const WAIT_SECS = 60;

interface RemoteBuild {
  id: string;
  status: string;
  finishedAt?: string | null;
}

interface WantedBuild {
  version: string;
  /** Undefined leaves it to the version. */
  tag: string | undefined;
}

/** The versions that a tag of the source names, else all. */
function wantedBuildsOf({ versions = [], taggedBuilds }: RemoteActor): WantedBuild[] {
  const known = new Set(versions.map(({ versionNumber }) => versionNumber));
  const tagged = Object.entries(taggedBuilds ?? {}).flatMap(([tag, build]) => {
    const version = build?.buildNumber?.split('.').slice(0, 2).join('.');
    return version !== undefined && known.has(version) ? [{ version, tag }] : [];
  });
  return tagged.length > 0 ? tagged : [...known].map((version) => ({ version, tag: undefined }));
}

/** Tags that the target has already are left alone, so that a repeated import builds nothing twice. */
async function missingBuilds({ to, ids }: ImportContext, actor: RemoteActor): Promise<WantedBuild[]> {
  const id = ids.actors.get(actor.id);
  if (id === undefined) return [];
  if (id === PLANNED) return wantedBuildsOf(actor);
  const there = await to.get<RemoteActor>(`/actors/${id}`);
  const tagOf = (version: string) =>
    (there.versions ?? []).find(({ versionNumber }) => versionNumber === version)?.['buildTag'] as
      | string
      | undefined;
  return wantedBuildsOf(actor).filter(
    ({ version, tag }) => there.taggedBuilds?.[tag ?? tagOf(version) ?? ''] == null,
  );
}

export async function buildActors(context: ImportContext, actors: readonly RemoteActor[]): Promise<void> {
  const { to, ids, progress, report } = context;
  for (const actor of actors) {
    for (const { version, tag } of await missingBuilds(context, actor)) {
      const name = `build of the Actor ${actor.name}, version ${version}`;
      progress.update(`${name}: waiting for it`);
      const path = `/actors/${ids.actors.get(actor.id)!}/builds`;
      let build = await to.send<RemoteBuild>('POST', path, '', { query: { version, tag, useCache: 1 } });
      while (build.finishedAt == null)
        build = await to.get<RemoteBuild>(`/actor-builds/${build.id}`, { waitForFinish: WAIT_SECS });
      progress.line(`${name}: ${build.status.toLowerCase()}`);
      if (build.status === 'SUCCEEDED') continue;
      report.addFailedBuild();
      const url = `${to.url}/v2/logs/${build.id}`;
      report.ask(`Look at the log of the ${name}, which is ${build.status}: ${url}`);
    }
  }
}

/** Without --build, somebody has to do it. */
export async function askForBuilds(context: ImportContext, actors: readonly RemoteActor[]): Promise<void> {
  const missing: string[] = [];
  for (const actor of actors) if ((await missingBuilds(context, actor)).length > 0) missing.push(actor.name);
  if (missing.length > 0)
    context.report.ask(
      `Build ${missing.length === 1 ? 'the Actor' : 'the Actors'} ${missing.join(', ')}: the same command with --build does it.`,
    );
}
