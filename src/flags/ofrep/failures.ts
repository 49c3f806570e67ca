// Renders errors in the format of OFREP: `{key, errorCode, errorDetails}` for an evaluation, else `{errorDetails}`.
import { routedPath } from '../../kernel/http/prefixes.ts';
import type { RequestContext } from '../../kernel/http/request-context.ts';
import type { Failure, FailureKind } from '../../kernel/failure.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { status as flagStatus } from '../failures.ts';

/** The protocol has 400, 401, 403, 404, 429 and 500; what it has no word for keeps the status that the flag service gives. */
export const status: Record<FailureKind, number> = {
  ...flagStatus,
  denied: 403,
  'approval-required': 403,
  'bad-patch': 400,
  'over-quota': 429,
};

export type OfrepErrorCode =
  | 'PARSE_ERROR'
  | 'TARGETING_KEY_MISSING'
  | 'INVALID_CONTEXT'
  | 'FLAG_NOT_FOUND'
  | 'GENERAL';

/** Errors of the evaluation itself. A failure may have a code of its own in its details. */
const CODES: Partial<Record<FailureKind, OfrepErrorCode>> = {
  malformed: 'PARSE_ERROR',
  'unsupported-encoding': 'PARSE_ERROR',
  invalid: 'GENERAL',
  'bad-patch': 'GENERAL',
  'not-found': 'FLAG_NOT_FOUND',
};

export const OfrepError = Type.Object(
  {
    key: Type.Optional(Type.String({ description: 'The key of the flag, where one was asked for' })),
    errorCode: Type.Optional(Type.String()),
    errorDetails: Type.String(),
  },
  { $id: 'OfrepError' },
);

export function renderError({ kind, message, details }: Failure, context: RequestContext): unknown {
  const errorCode = details.code ?? CODES[kind];
  if (errorCode === undefined) return { errorDetails: message };
  const key = flagKeyOf(context);
  return { ...(key !== undefined && { key }), errorCode, errorDetails: message };
}

/** The key in the path of a call that evaluates one flag. */
function flagKeyOf({ shape, url }: RequestContext): string | undefined {
  if (shape?.path.endsWith('/{key}') !== true) return undefined;
  const word = routedPath(url).split('/').at(-1)!;
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
