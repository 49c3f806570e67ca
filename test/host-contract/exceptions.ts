// Where the public description of the code host's API is known to be wrong, or does not have an operation of this server.
import type { Shape } from './check-shape.ts';

/** Properties that a shape requires by mistake, by the name of the shape. */
export const NOT_REQUIRED: Record<string, { properties: string[]; why: string }> = {
  'gist-comment': {
    properties: ['body'],
    why: 'With the media types html and text there is a rendering in its place.',
  },
  'pull-request-review': {
    properties: ['body'],
    why: 'With the media types html and text there is a rendering in its place.',
  },
  'pull-request-review-comment': {
    properties: ['body'],
    why: 'With the media types html and text there is a rendering in its place.',
  },
  'review-comment': {
    properties: ['body'],
    why: 'With the media types html and text there is a rendering in its place.',
  },
  'repo-search-result-item': {
    properties: ['has_downloads'],
    why: 'The original no longer sends it in version 2026-03-10, though its description still requires it.',
  },
};

/** Properties that may be null, though the shape does not say so, by the name of the shape; those inside others after a period. */
export const NULL_PROPERTIES: Record<string, { properties: string[]; why: string }> = {
  issue: {
    properties: ['pull_request.merged_at'],
    why: 'Version 2026-03-10 of the description took null from the addresses beside it, and from this by mistake.',
  },
  'nullable-issue': {
    properties: ['pull_request.merged_at'],
    why: 'Version 2026-03-10 of the description took null from the addresses beside it, and from this by mistake.',
  },
  'pull-request': {
    properties: ['head.repo'],
    why: 'The original sends null too, where the repository was deleted.',
  },
  'pull-request-minimal': {
    properties: ['head.repo'],
    why: 'Feeds show pull requests of deleted and of hidden forks too.',
  },
  'pull-request-simple': {
    properties: ['head.repo'],
    why: 'The original sends null too, where the repository was deleted.',
  },
  'pull-request-review-comment': {
    properties: ['position', 'line', 'original_line'],
    why: 'The original sends null too, where the line is not in the changes any more, or there is a file and no line.',
  },
  'review-comment': {
    properties: ['line', 'original_line'],
    why: 'The original sends null too, where the line is not in the changes any more, or there is a file and no line.',
  },
};

/** Shapes that this server sends in the place of others. */
export const INSTEAD: Record<string, { shape: string; why: string }> = {
  'validation-error-simple': {
    shape: 'validation-error',
    why: 'All operations name the fields that are wrong, where some of the original have texts.',
  },
};

/** Successes that the description has wrong, by operation. */
export const RIGHT_SHAPES: Record<string, { shape: Shape; why: string }> = {
  'GET /app/installations': {
    shape: { type: 'array', items: { $ref: 'installation' } },
    why: 'The account would have to be a user and an enterprise at once.',
  },
};

/** Operations of this server that the description does not have. */
export const NOT_DESCRIBED: Record<string, string> = {
  'GET /openapi.json': 'It describes this server.',
  'GET /versions/{version}/impact': 'Nobody else has it.',
  'PUT /admin/repos/{owner}/{repo}/import': 'Nobody else has it.',
  'POST /admin/repos/{owner}/{repo}/import': 'Nobody else has it.',
  'DELETE /admin/repos/{owner}/{repo}/import': 'Nobody else has it.',
  'GET /emojis/unicode/{file}': 'Pictures have a host of their own elsewhere.',
  'GET /avatars/{number}': 'Pictures have a host of their own elsewhere.',
  'GET /repos/{owner}/{repo}/git/refs/{ref}': 'It is the address of a reference in replies.',
  'GET /repos/{owner}/{repo}/git/refs': 'Older clients list all references so.',
  'GET /repos/{owner}/{repo}/statuses/{ref}': 'It is the address of statuses in replies.',
  'POST /gists/{gist_id}': 'Some clients change a gist so.',
  'GET /gist/{gist_id}/raw/{oid}/{path}': 'Downloads have a host of their own elsewhere.',
  'GET /raw/{owner}/{repo}/{ref}/{path}': 'Downloads have a host of their own elsewhere.',
  'GET /archives/{owner}/{repo}/{format}/{commit}': 'Downloads have a host of their own elsewhere.',
  'POST /user/orgs': 'Organizations are created on pages elsewhere.',
  'POST /graphql': 'It has a schema of its own.',
  'POST /api/graphql': 'It has a schema of its own.',
};
