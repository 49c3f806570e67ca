// The error replies of the host: statuses, and bodies with message, documentation_url and status.
import type { RequestContext } from '../kernel/http/request-context.ts';
import { locationOf, sentenceOf, type Failure, type FailureKind } from '../kernel/failure.ts';
import { Type } from '../kernel/schema/schema.ts';
import { absentPartAt, DIFFERENCES } from './absent-parts.ts';
import { DIFF_TOO_LARGE } from './git/history/diff.ts';
import { NOT_MERGEABLE } from './pulls/pull.ts';
import { SECONDARY } from './rate-limit/secondary.ts';
import { siteOf } from './site.ts';

/** A wrong verb is 404 here: 405 is for pull requests that cannot be merged. A spent budget is 403 by default, the status that every client family recognises. */
export const status: Record<FailureKind, number> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  denied: 403,
  forbidden: 403,
  'approval-required': 403,
  'not-found': 404,
  moved: 301,
  'no-route': 404,
  'wrong-method': 404,
  'not-acceptable': 415,
  conflict: 409,
  retired: 410,
  'bad-patch': 422,
  'too-large': 413,
  'headers-too-large': 431,
  'unsupported-encoding': 415,
  exhausted: 403,
  'over-quota': 402,
  timeout: 408,
  unavailable: 503,
  internal: 500,
};

/** 307 makes a client repeat a change with its method and body at the new address. */
export function hostStatusOf({ kind, details }: Failure, { method, exceededStatus }: RequestContext): number {
  if (details.code === DIFF_TOO_LARGE) return 406;
  if (details.code === NOT_MERGEABLE) return 405;
  if (kind === 'exhausted') return exceededStatus ?? status.exhausted;
  return kind === 'moved' && method !== 'GET' && method !== 'HEAD' ? 307 : status[kind];
}

export const HostError = Type.Object(
  {
    message: Type.String(),
    documentation_url: Type.String(),
    status: Type.String(),
    url: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          resource: Type.Optional(Type.String()),
          field: Type.Optional(Type.String()),
          code: Type.String(),
          message: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { $id: 'basic-error' },
);

/** The section of the documentation that explains a kind of failure; others are explained in the catalogue of errors. */
const PAGES: Partial<Record<FailureKind, string>> = {
  exhausted: '#rate-limits',
  'over-quota': '#rate-limits',
  unauthenticated: '#authentication',
  denied: '#authentication',
  retired: '#versions',
  malformed: '#requests',
  'headers-too-large': '#requests',
  'not-acceptable': '#requests',
};

/** Clients compare some of these messages exactly. */
const MESSAGES: Partial<Record<FailureKind, string>> = {
  'not-found': 'Not Found',
  moved: 'Moved Permanently',
  'no-route': 'Not Found',
  'wrong-method': 'Not Found',
};

/** The beginnings of others that they compare, which therefore have no period. */
const FIXED_MESSAGES = [
  "'Expiration time' claim",
  "'Issued at' claim",
  "'Issuer' claim",
  'A JSON web token could not be decoded',
  'Base does not exist',
  'Body should be a JSON object',
  'Branch not found',
  'Branch not protected',
  'Cannot change this locked branch',
  'Cannot delete this protected branch',
  'Cannot force-push to this branch',
  'Head does not exist',
  'Label does not exist',
  'Merge conflict',
  'No commit found for ',
  'Object does not exist',
  'Only the first 1000 search results are available',
  'Only organization repositories can have users and team restrictions',
  'Pull Request is not mergeable',
  'Push restrictions not enabled',
  'Reference already exists',
  'Reference does not exist',
  'Required pull request reviews not enabled',
  'Required status checks not enabled',
  'Resource not accessible by integration',
  'There are merge conflicts',
  'This installation has been suspended',
  'Update is not a fast forward',
  'commit not found',
  'merge conflict between base and head',
];

/** The kinds of failures of a path that this server does not have. */
const MISSING: readonly FailureKind[] = ['no-route', 'wrong-method', 'not-found'];

export function renderError(failure: Failure, context: RequestContext): unknown {
  const { details, kind } = failure;
  const { base, shape } = context;
  // By the path alone, so that it says nothing about the repository in it.
  const absent = MISSING.includes(kind) ? absentPartAt(context.url) : undefined;
  if (absent !== undefined)
    return {
      message: `Not Found: this server has no ${absent}.`,
      documentation_url: siteOf(base) + DIFFERENCES,
      status: '404',
    };
  const url = locationOf(failure, base);
  return {
    message: messageOf(failure, context),
    ...(details.fields !== undefined && {
      errors: details.fields.map(({ field, message }) => ({
        resource: resourceOf(shape),
        ...(field !== '' && { field }),
        code: message === 'is required' ? 'missing_field' : (details.code ?? 'invalid'),
        message: `${field} ${message}`.trim(),
      })),
    }),
    ...(url !== undefined && { url }),
    documentation_url: `${siteOf(base)}/docs/host${pageOf(failure)}`,
    status: String(hostStatusOf(failure, context)),
  };
}

/** What entries of `errors` call it that the routes below a path are about. Others have the group of their operation. */
const RESOURCES: readonly (readonly [path: RegExp, resource: string])[] = [
  [/\/reactions(?:\/|$)/, 'Reaction'],
  [/\/issues\/(?:\{issue_number\}\/)?comments(?:\/|$)/, 'IssueComment'],
  [/\/labels(?:\/|$)/, 'Label'],
  [/\/milestones(?:\/|$)/, 'Milestone'],
  [/\/issues(?:\/|$)/, 'Issue'],
  [/\/pulls\/\{pull_number\}\/reviews(?:\/|$)/, 'PullRequestReview'],
  [/\/pulls\/(?:\{pull_number\}\/)?comments(?:\/|$)/, 'PullRequestReviewComment'],
  [/\/pulls(?:\/|$)/, 'PullRequest'],
];

function resourceOf(shape: RequestContext['shape']): string {
  const known = RESOURCES.find(([path]) => path.test(shape?.path ?? ''));
  return known?.[1] ?? shape?.id.split('/')[0] ?? 'request';
}

/** Some clients recognise an exceeded secondary limit by the end of this address. */
function pageOf({ kind, details }: Failure): string {
  return kind === 'exhausted' && details.code === SECONDARY
    ? '#secondary-rate-limits'
    : (PAGES[kind] ?? `/errors#${kind}`);
}

function messageOf(
  { kind, message, details }: Failure,
  { headers, isSessionIncomplete }: RequestContext,
): string {
  if (kind === 'unauthenticated' && details.code === undefined && !isSessionIncomplete)
    return headers.authorization !== undefined ? 'Bad credentials' : 'Requires authentication';
  if (kind === 'invalid' && details.fields !== undefined) return 'Validation Failed';
  if (details.part === 'json') return 'Problems parsing JSON';
  const usual = details.code === undefined ? MESSAGES[kind] : undefined;
  if (usual !== undefined) return usual;
  return FIXED_MESSAGES.some((text) => message.startsWith(text)) ? message : sentenceOf(message);
}
