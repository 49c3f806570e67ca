// The OpenAPI document of a build: how to run the Actor, with its input schema as the body.
import type { OpenApiDocument } from '../../kernel/openapi/document.ts';
import type { Actor } from '../actors/model.ts';
import { exampleInput, toPlainSchema } from './plain-schema.ts';

export interface DescribedBuild {
  actor: Pick<Actor, 'id' | 'name' | 'title' | 'description'>;
  /** Of the account that owns the Actor. */
  username: string;
  build: { buildNumber: string; inputSchema: string | null };
  publicUrl: string;
}

const TAG = { name: 'Run Actor', description: 'Starts the Actor' };
const SECURITY = [{ token: [] }, { query: [] }];

const RUN_PARAMETERS: [name: string, type: string, description: string][] = [
  ['timeout', 'integer', 'In seconds; 0 means no time-out'],
  ['memory', 'integer', 'In megabytes, a power of two of at least 128'],
  ['maxItems', 'integer', 'The most results that a run which is paid by results may have'],
  ['maxTotalChargeUsd', 'number', 'The most that a run which is paid by events may cost'],
  ['restartOnError', 'boolean', 'Whether the run is restarted when it fails'],
];

const RUN_EXAMPLE = {
  id: '0123456789abcdef01234567',
  status: 'READY',
  startedAt: '2026-01-01T00:00:00.000Z',
};

export function openApiOfBuild({ actor, username, build, publicUrl }: DescribedBuild): OpenApiDocument {
  const name = `${username}~${actor.name}`;
  const path = `/actors/${name}`;
  const input = describeInput(build.inputSchema);
  const operation = (
    id: string,
    summary: string,
    description: string,
    replies: object,
    more: Parameter[] = [],
  ) => ({
    operationId: `${id}-${name.replaceAll(/[^\w-]/g, '-')}`,
    tags: [TAG.name],
    summary,
    description,
    parameters: [...RUN_PARAMETERS.map(([each, type, words]) => parameter(each, type, words)), ...more],
    requestBody: input.body,
    responses: {
      ...replies,
      400: { $ref: '#/components/responses/400' },
      401: { $ref: '#/components/responses/401' },
    },
    security: SECURITY,
  });
  return {
    openapi: '3.1.0',
    info: {
      title: actor.title ?? actor.name,
      description: actor.description ?? '',
      version: build.buildNumber,
    },
    servers: [{ url: `${publicUrl}/v2`, description: 'This server' }],
    tags: [TAG],
    paths: {
      [`${path}/run-sync-get-dataset-items`]: {
        post: operation(
          'run-sync-get-dataset-items',
          'Run the Actor and get the items of its dataset',
          'Waits until the run has finished, at most five minutes.',
          good('The items of the dataset', { type: 'array', items: { type: 'object' } }, []),
          [
            parameter('format', 'string', 'json, jsonl, csv, html, xlsx, xml or rss'),
            parameter('limit', 'integer', 'How many items to get'),
            parameter('offset', 'integer', 'How many items to skip'),
          ],
        ),
      },
      [`${path}/run-sync`]: {
        post: operation(
          'run-sync',
          'Run the Actor and get its output',
          'Waits until the run has finished, at most five minutes. The reply is the record OUTPUT, with its content type.',
          good('The record OUTPUT', { description: 'Whatever the Actor writes' }, {}),
          [parameter('outputRecordKey', 'string', 'The key of another record to get')],
        ),
      },
      [`${path}/runs`]: {
        post: operation(
          'runs',
          'Start the Actor',
          'Replies at once, with the run.',
          good('The run', { $ref: '#/components/schemas/RunResponse' }, { data: RUN_EXAMPLE }),
          [
            parameter(
              'waitForFinish',
              'integer',
              'How many seconds to wait for the end of the run, at most 60',
            ),
          ],
        ),
      },
    },
    components: {
      schemas: { Input: input.schema, RunResponse: RUN_RESPONSE, ErrorResponse: ERROR_RESPONSE },
      responses: {
        400: failed('The input or a parameter is not valid, or the run failed.'),
        401: failed('The token is missing or not valid.'),
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        query: { type: 'apiKey', in: 'query', name: 'token', description: 'For what cannot send headers' },
      },
    },
  };
}

interface Parameter {
  name: string;
  in: 'query';
  required: false;
  description: string;
  schema: { type: string };
}

function parameter(name: string, type: string, description: string): Parameter {
  return { name, in: 'query', required: false, description, schema: { type } };
}

function describeInput(text: string | null) {
  const anything = { description: 'Any input: the Actor has no input schema', type: 'object' };
  const parsed = text === null ? undefined : (JSON.parse(text) as Record<string, unknown>);
  const required = parsed?.['required'];
  const example = parsed && exampleInput(parsed);
  return {
    schema: parsed === undefined ? anything : toPlainSchema(parsed),
    body: {
      required: Array.isArray(required) && required.length > 0,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Input' },
          ...(example && Object.keys(example).length > 0 && { example }),
        },
      },
    },
  };
}

function good(description: string, schema: object, example: unknown) {
  return { 201: { description, content: { 'application/json': { schema, example } } } };
}

const text = { type: 'string' };
const RUN_RESPONSE = {
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['id', 'status', 'startedAt'],
      properties: {
        id: text,
        actId: text,
        status: text,
        startedAt: { type: 'string', format: 'date-time' },
        finishedAt: { type: ['string', 'null'], format: 'date-time' },
        defaultDatasetId: text,
        defaultKeyValueStoreId: text,
        defaultRequestQueueId: text,
      },
    },
  },
};

const ERROR_RESPONSE = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'object', required: ['type', 'message'], properties: { type: text, message: text } },
  },
};

function failed(description: string) {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
  };
}
