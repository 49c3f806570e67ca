// Analyses: list and get them, as JSON or as the SARIF document, and delete them one after another.
import { pipeline } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import { Stream } from '../../kernel/http/route.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createGunzip } from '../../kernel/network/streams.ts';
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import type { StoredBlob } from '../../kernel/storage/blobs/blob.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { splitLines } from '../../kernel/text/split-lines.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { askedFormat, asksForType } from '../media-type.ts';
import { type FoundRepository, entryOwnerOf, RepositoryParams } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { askedRefs, RefQuery, scanningRoute, UPDATE_SCANNING, VIEW_SCANNING } from './access.ts';
import { type Analysis, documentKey } from './analysis.ts';
import { AnalysisDeletion, AnalysisReply, scanningUrl, toAnalysis } from './model.ts';
import { beginDeletion, finishDeletions } from './process-scanning.ts';
import { findAnalysis, listAnalyses, listAlertsOfResults } from './store-analyses.ts';
import { findDeleting, findPrevious } from './store-deleting.ts';
import { lockScanning } from './store-uploads.ts';

const AnalysisParams = Type.Object({
  ...RepositoryParams,
  analysis_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const listRecentAnalyses = scanningRoute(
  {
    id: 'code-scanning/list-recent-analyses',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/analyses',
    summary: 'List the code-scanning analyses of a repository',
    description: 'The newest first. The newest of each ref, tool and category is deletable.',
    access: VIEW_SCANNING,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      tool_name: Type.Optional(PlainText()),
      tool_guid: Type.Optional(PlainText()),
      ...RefQuery,
      sarif_id: Type.Optional(PlainText()),
      sort: Type.Optional(OneOf(['created'])),
      direction: Type.Optional(OneOf(['asc', 'desc'])),
      ...HostPageQuery,
    }),
    list: AnalysisReply,
  },
  async ({ query, base }, { db }, found) => {
    const slice = pageSliceOf(query);
    const refs = askedRefs(query);
    const filter = {
      ...(refs && { refs }),
      ...(query.tool_name !== undefined && { toolName: query.tool_name }),
      ...(query.tool_guid !== undefined && { toolGuid: query.tool_guid }),
      ...(query.sarif_id !== undefined && { uploadId: query.sarif_id }),
      desc: query.direction !== 'asc',
    };
    const more = { ...slice, limit: slice.limit + 1 };
    const analyses = await listAnalyses(db, found.repository.number, filter, more);
    return pageBefore(analyses, slice).map((analysis) => toAnalysis(analysis, found, base));
  },
);

const SARIF_TYPE = 'application/sarif+json';

const getAnalysis = scanningRoute(
  {
    id: 'code-scanning/get-analysis',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/analyses/{analysis_id}',
    summary: 'Get a code-scanning analysis',
    description: `With \`Accept: ${SARIF_TYPE}\`, the document in SARIF 2.1.0: what was kept of the upload, and the alerts of its results.`,
    access: VIEW_SCANNING,
    params: AnalysisParams,
    reply: { 200: AnalysisReply },
    accepts: [SARIF_TYPE],
  },
  async ({ params, headers, base }, { db, blobs }, found) => {
    const analysis = await findOwnAnalysis(db, found.repository.number, params.analysis_id);
    const { accept } = headers;
    if (askedFormat(accept).param !== 'sarif' && !asksForType(accept, SARIF_TYPE))
      return toAnalysis(analysis, found, base);
    const blob = await blobs.get(documentKey(analysis.uploadId, analysis.runIndex));
    if (blob === undefined) throw new Failure('unavailable', 'The document of the analysis is missing');
    const alerts = `${scanningUrl(found, base)}/alerts`;
    return new Stream(readDocument(db, analysis, blob, alerts), {
      'content-type': `${SARIF_TYPE}; charset=utf-8`,
    });
  },
);

const removeAnalysis = scanningRoute(
  {
    id: 'code-scanning/delete-analysis',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/code-scanning/analyses/{analysis_id}',
    summary: 'Delete a code-scanning analysis',
    description:
      'Only the newest of its ref, tool and category can be deleted: alerts are then as the one before says. The last one ' +
      'needs the parameter `confirm_delete`, because its alerts are deleted with it.',
    access: UPDATE_SCANNING,
    params: AnalysisParams,
    query: Type.Object({ confirm_delete: Type.Optional(Type.String()) }),
    reply: { 200: AnalysisDeletion },
  },
  async (call, kernel, found) => {
    const { query, base } = call;
    const isConfirmed = query.confirm_delete !== undefined && query.confirm_delete !== 'false';
    const { deleted, previous } = await beginRemoval(kernel, call, found, isConfirmed);
    await finishDeletions(kernel, found.repository.number);
    await kernel.blobs.delete(documentKey(deleted.uploadId, deleted.runIndex));
    const next = previous === undefined ? null : `${scanningUrl(found, base)}/analyses/${previous}`;
    return { next_analysis_url: next, confirm_delete_url: next && `${next}?confirm_delete` };
  },
);

/** Deletions in a repository come one after another: each restores what is left by the one before. */
async function beginRemoval(
  kernel: Kernel,
  call: ChangeActor & { params: { analysis_id: number } },
  found: FoundRepository,
  isConfirmed: boolean,
): Promise<{ deleted: Analysis; previous: number | undefined }> {
  const { number, name } = found.repository;
  for (;;) {
    await finishDeletions(kernel, number);
    const begun = await kernel.changes.run(call, async (tx) => {
      await lockScanning(tx.db, number);
      if ((await findDeleting(tx.db, number)) !== undefined) return undefined;
      const analysis = await findOwnAnalysis(tx.db, number, call.params.analysis_id);
      if (!analysis.isDeletable) throw new Failure('malformed', 'Analysis specified is not deletable.');
      if ((await findPrevious(tx.db, analysis)) === undefined && !isConfirmed)
        throw new Failure(
          'malformed',
          'Analysis is last of its type and deletion may result in the loss of historical alert data. Please specify confirm_delete.',
        );
      tx.record({
        accesses: [{ action: UPDATE_SCANNING.action, resource: repositoryResource(found) }],
        kind: 'repository',
        name,
        verb: `deleted the analysis ${analysis.number} of ${analysis.ref} by ${analysis.toolName} of`,
        ...entryOwnerOf(found),
      });
      return { deleted: analysis, previous: await beginDeletion(tx.db, analysis, call.now) };
    });
    if (begun !== undefined) return begun;
  }
}

async function findOwnAnalysis(db: Db, repositoryNumber: number, number: number): Promise<Analysis> {
  const analysis = await findAnalysis(db, repositoryNumber, number);
  if (analysis === undefined) throw new Failure('not-found', 'There is no such analysis');
  return analysis;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const AT_ONCE = 500;

/**
 * Writes the SARIF document of an analysis from what was kept of it, line by line, and adds the alerts of its
 * results.
 */
async function* readDocument(
  db: Db,
  { number }: Analysis,
  blob: StoredBlob,
  alertsUrl: string,
): AsyncGenerator<string> {
  const source = blob.stream();
  // An error of either is thrown where the lines are read.
  const lines = splitLines(pipeline(source, createGunzip(), () => {}));
  try {
    yield `{"$schema":${JSON.stringify(SCHEMA)},"version":"2.1.0","runs":[`;
    let position = -1;
    let alerts = new Map<number, number>();
    for await (const line of lines) {
      if (position < 0) yield `${line},"results":[`;
      else {
        if (position % AT_ONCE === 0) alerts = await listAlertsOfResults(db, number, position, AT_ONCE);
        const own = membersOf(alerts.get(position), alertsUrl);
        const isFirst = own === '' || line.endsWith('{');
        yield `${position === 0 ? '' : ','}${line}${isFirst ? '' : ','}${own}}}`;
      }
      position += 1;
    }
    yield ']}]}';
  } finally {
    source.destroy();
  }
}

/** Empty where the analysis has been deleted since the document was begun. */
function membersOf(alert: number | undefined, alertsUrl: string): string {
  if (alert === undefined) return '';
  return `"github/alertNumber":${alert},"github/alertUrl":${JSON.stringify(`${alertsUrl}/${alert}`)}`;
}

export const analysisRoutes = [listRecentAnalyses, getAnalysis, removeAnalysis];
