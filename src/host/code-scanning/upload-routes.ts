// Uploads of analyses: a document is accepted at once, and processed by background work.
import { randomUUID } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { tooLarge } from '../../kernel/http/body/body.ts';
import { isValidRefName } from '../git/refs/revision.ts';
import { RepositoryParams } from '../repositories/access.ts';
import { scanningRoute, UPDATE_SCANNING, VIEW_SCANNING } from './access.ts';
import { SarifReceipt, SarifStatus, SarifUploadRequest, scanningUrl } from './model.ts';
import { scheduleScanning } from './schedule-scanning.ts';
import { isGzip } from './sarif/read-sarif.ts';
import { MAX_GZIP_BYTES } from './sarif/sarif-limits.ts';
import { findUpload, insertUpload, lockScanning } from './store-uploads.ts';
import { uploadKey } from './analysis.ts';

/** Base64 takes a third more, and the other members need some space. */
const MAX_BODY_BYTES = Math.ceil((MAX_GZIP_BYTES * 4) / 3) + 64 * 1024;

const uploadSarif = scanningRoute(
  {
    id: 'code-scanning/upload-sarif',
    method: 'POST',
    path: '/repos/{owner}/{repo}/code-scanning/sarifs',
    summary: 'Upload a code-scanning analysis',
    description:
      'The SARIF document is compressed by gzip and written in base64. It is processed after the reply: its status says ' +
      'what became of it. A document has at most 20 runs, each with 25,000 results, of which the 5,000 most severe are kept.',
    access: UPDATE_SCANNING,
    params: Type.Object(RepositoryParams),
    body: SarifUploadRequest,
    bodyBytes: MAX_BODY_BYTES,
    reply: { 202: SarifReceipt },
    limit: 'code_scanning_upload',
    isData: true,
  },
  async ({ body, base, now }, { db, blobs, services }, found) => {
    const { number } = found.repository;
    if (!/^refs\/(?:heads|tags|pull)\//.test(body.ref) || !isValidRefName(body.ref))
      throw problem('ref', 'must be a full name, such as refs/heads/main');
    const gzip = Buffer.from(body.sarif, 'base64');
    if (gzip.length > MAX_GZIP_BYTES) throw tooLarge(MAX_GZIP_BYTES);
    if (!isGzip(gzip))
      throw new Failure('malformed', 'The sarif field must be a document compressed by gzip, in base64.');
    const commit = await services.git.repository(number).readCommit(body.commit_sha.toLowerCase());
    if (commit === undefined) throw new Failure('not-found', 'commit not found', { code: 'missing' });
    const id = randomUUID();
    await blobs.put(uploadKey(id), gzip);
    await db.transaction().execute(async (tx) => {
      await lockScanning(tx, number);
      const upload = { id, repositoryNumber: number, ref: body.ref, commitSha: commit.oid };
      await insertUpload(tx, { ...upload, checkoutUri: body.checkout_uri ?? null }, now);
      await scheduleScanning(tx, number, now);
    });
    const url = `${scanningUrl(found, base)}/sarifs/${id}`;
    return reply(202, { id, url }, { location: url });
  },
);

const getSarif = scanningRoute(
  {
    id: 'code-scanning/get-sarif',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}',
    summary: 'Get the status of an upload',
    description: 'Of a failed one, `errors` say what is wrong.',
    access: VIEW_SCANNING,
    params: Type.Object({ ...RepositoryParams, sarif_id: Type.String() }),
    reply: { 200: SarifStatus },
  },
  async ({ params, base }, { db }, found) => {
    const id = params.sarif_id.includes('\0') ? '' : params.sarif_id;
    const upload = await findUpload(db, found.repository.number, id);
    if (upload === undefined) throw new Failure('not-found', 'There is no such upload');
    const { status, errors } = upload;
    return {
      processing_status: status,
      analyses_url:
        status === 'complete' ? `${scanningUrl(found, base)}/analyses?sarif_id=${upload.id}` : null,
      errors,
    };
  },
);

export const sarifUploadRoutes = [uploadSarif, getSarif];
