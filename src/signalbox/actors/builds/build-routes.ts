// What people ask about a build: how long its steps took, where its first error is, what is new in its log, and what it was made from.
import { openActor } from '../../../actors/actors/access.ts';
import type { SourceFile, SourceFolder, VersionSource } from '../../../actors/actors/version.ts';
import { isBuildOwner, openBuild } from '../../../actors/builds/access.ts';
import { buildNotFound, type BuildShort } from '../../../actors/builds/model.ts';
import { findBuiltSource } from '../../../actors/builds/store-snapshots.ts';
import { findLastGoodBuild } from '../../../actors/builds/store.ts';
import { checkBuildLogAccess, maskOf } from '../../../actors/logs/access.ts';
import { compareLogs } from '../../../actors/logs/compare-logs.ts';
import { readSteps } from '../../../actors/logs/log-steps.ts';
import { openNumberedLog } from '../../../actors/logs/read-lines.ts';
import { PUBLIC_LOGS } from '../../../actors/logs/routes.ts';
import { Failure } from '../../../kernel/failure.ts';
import { route } from '../../../kernel/http/route.ts';
import { PlainText, Type } from '../../../kernel/schema/schema.ts';
import {
  BuildComparison,
  BuildSteps,
  BuiltFiles,
  MAX_BUILD_STEPS,
  type ShownComparedBuild,
} from './build-model.ts';
import { MAX_COMPARED_LINES } from '../compare-model.ts';

const MAX_READ_MS = 15_000;

const ByBuildId = Type.Object({ buildId: PlainText({ maxLength: 100 }) });

const getBuildSteps = route(
  {
    id: 'getBuildSteps',
    method: 'GET',
    path: '/builds/{buildId}/steps',
    summary: 'Get the steps of a build with their durations',
    description: `By the lines of its log in which the server says what comes next. ${PUBLIC_LOGS}`,
    access: { action: 'viewBuild', ofOwner: true },
    params: ByBuildId,
    reply: { 200: BuildSteps },
  },
  async (call, kernel) => {
    const { buildId } = call.params;
    const othersBuild = await checkBuildLogAccess(call, kernel, buildId);
    const mask = othersBuild && (await maskOf(kernel, othersBuild));
    const { db, blobs } = kernel;
    const opened = await openNumberedLog({ db, blobs }, buildId);
    if (opened === undefined) throw new Failure('not-found', 'The log was not found');
    const until = performance.now() + MAX_READ_MS;
    return await readSteps({ db, blobs, mask }, opened, { most: MAX_BUILD_STEPS, until });
  },
);

const compareBuild = route(
  {
    id: 'compareBuild',
    method: 'GET',
    path: '/builds/{buildId}/compare',
    summary: 'Compare the log of a build with that of the last good one of its version',
    description: 'By lines without numbers, addresses, ids and times.',
    access: { action: 'viewBuild' },
    params: ByBuildId,
    reply: { 200: BuildComparison },
  },
  async (call, kernel) => {
    const build = await openBuild(kernel, call, call.params.buildId, 'viewBuild');
    if (!isBuildOwner(call.caller, build)) throw buildNotFound();
    const good = await findLastGoodBuild(kernel.db, build);
    if (good === undefined) throw new Failure('not-found', 'No earlier build of this version has succeeded.');
    const log = await compareLogs(
      kernel,
      { before: good.id, after: build.id },
      { most: MAX_COMPARED_LINES, until: performance.now() + MAX_READ_MS },
    );
    return { before: showBuild(good), after: showBuild(build), log };
  },
);

const getBuiltFiles = route(
  {
    id: 'getBuiltFiles',
    method: 'GET',
    path: '/actors/{actorId}/versions/{versionNumber}/built-files',
    summary: 'Get the source files that the last good build of a version was made from',
    description: 'Where the version has files on this server. Builds of earlier releases have not kept them.',
    access: { action: 'viewActorVersion' },
    params: Type.Object({
      actorId: PlainText({ maxLength: 300, description: 'Its id, or `username~name`' }),
      versionNumber: PlainText({ maxLength: 100 }),
    }),
    reply: { 200: BuiltFiles },
  },
  async (call, kernel) => {
    const { actorId, versionNumber } = call.params;
    const actor = await openActor(kernel, call, actorId, 'viewActorVersion');
    const found = await findBuiltSource(kernel.db, actor.id, versionNumber);
    if (found === undefined)
      throw new Failure('not-found', 'No good build of this version has kept what it was made from.');
    return { build: showBuild(found.build), files: filesOf(JSON.parse(found.source) as VersionSource) };
  },
);

function filesOf(source: VersionSource): (SourceFile | SourceFolder)[] {
  return 'sourceFiles' in source ? source.sourceFiles : [];
}

function showBuild({ id, buildNumber, status, startedAt, finishedAt }: BuildShort): ShownComparedBuild {
  return { id, number: buildNumber, status, startedAt, finishedAt };
}

export const buildWorkRoutes = [getBuildSteps, compareBuild, getBuiltFiles];
