// Uploading a code-scanning analysis, which has a rate limit of its own.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';

const SarifUpload = Type.Object(
  {
    commit_sha: Type.String({ pattern: '^[0-9a-fA-F]{40}$' }),
    ref: Type.String({ pattern: '^refs/(heads|tags|pull)/.+$' }),
    sarif: Type.String({ description: 'The SARIF document, compressed by gzip and written in base64' }),
    checkout_uri: Type.Optional(Type.String()),
    started_at: Type.Optional(Type.String({ format: 'date-time' })),
    tool_name: Type.Optional(Type.String()),
    validate: Type.Optional(Type.Boolean()),
  },
  { $id: 'code-scanning-sarif-upload', additionalProperties: false },
);

const uploadSarif = route(
  {
    id: 'code-scanning/upload-sarif',
    method: 'POST',
    path: '/repos/{owner}/{repo}/code-scanning/sarifs',
    summary: 'Upload a code-scanning analysis',
    description: 'The repository must exist on this server.',
    access: 'caller',
    params: Type.Object(RepositoryParams),
    body: SarifUpload,
    reply: {
      202: Type.Object({ id: Type.String(), url: Type.String() }, { $id: 'code-scanning-sarifs-receipt' }),
    },
    limit: 'code_scanning_upload',
  },
  () => {
    throw new Failure('not-found', 'There is no such repository');
  },
);

export const uploadRoutes = [uploadSarif];
