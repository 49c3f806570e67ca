// Runs and builds as the search shows them: one's own runs, and builds of one's own and of public Actors.
import { openBuild } from '../../actors/builds/access.ts';
import { checkRun } from '../../actors/runs/access.ts';
import { findRun } from '../../actors/runs/store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { listActorNames } from './actor-sources.ts';
import { pathOf, type FoundItem } from './model.ts';
import type { Searcher } from './source.ts';
import { readActorRecords } from './store-actor-records.ts';

/** A call as the rules of access want it: every question names its action. */
interface AskingCall {
  caller: KnownCaller;
  can(resource: string, action?: string): boolean;
}

function callOf({ caller, can }: Pick<Searcher, 'caller' | 'can'>): AskingCall {
  return { caller, can: (resource, action = '') => can(resource, action) };
}

/** Undefined where the rule refuses; every other error is one. */
async function unlessRefused<Value>(ask: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure && ['not-found', 'denied', 'forbidden', 'malformed'].includes(error.kind))
      return undefined;
    throw error;
  }
}

export async function showRuns(searcher: Searcher, ids: readonly string[]): Promise<FoundItem[]> {
  const { db } = searcher;
  const call = callOf(searcher);
  const runs = [];
  for (const id of ids) {
    const run = await findRun(db, id);
    const visible = await unlessRefused(() => {
      checkRun(call, run, 'viewRun');
      return run;
    });
    if (visible !== undefined) runs.push(visible);
  }
  if (runs.length === 0) return [];
  const actors = await readActorRecords(
    db,
    runs.map(({ actorId }) => actorId),
  );
  const titles = new Map(actors.map(({ id, name }) => [id, name]));
  return runs.map(({ id, actorId, status, startedAt, buildNumber }) => ({
    kind: 'run',
    id,
    title: `Run of ${titles.get(actorId) ?? actorId}`,
    detail: `${status} · build ${buildNumber} · ${id}`,
    path: pathOf('runs', id),
    resource: `actor-run/${id}`,
    at: startedAt,
  }));
}

export async function showBuild(searcher: Searcher, id: string): Promise<FoundItem[]> {
  const { db } = searcher;
  const build = await unlessRefused(() => openBuild({ db }, callOf(searcher), id, 'viewBuild'));
  if (build === undefined) return [];
  const actors = await readActorRecords(db, [build.actorId]);
  const named = (await listActorNames(db, actors)).get(build.actorId) ?? build.actorId;
  return [
    {
      kind: 'build',
      id,
      title: `Build ${build.buildNumber} of ${actors[0]?.name ?? build.actorId}`,
      detail: `${build.status} · ${id}`,
      path: `${pathOf('actors', named, 'builds')}?q=${encodeURIComponent(build.buildNumber)}`,
      resource: `actor-build/${id}`,
      at: build.startedAt,
    },
  ];
}
