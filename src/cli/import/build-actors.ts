// Builds the versions that were copied: builds themselves cannot be.
import type { RemoteActor } from './copy-actors.ts';
import { PLANNED, type ImportContext } from './import-context.ts';

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
