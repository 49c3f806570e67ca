// Reads contexts of OpenFeature: the targeting key is the key of the context, and all other fields are attributes.
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { readContext, USER, type Context } from '../evaluation/context.ts';
import type { OfrepErrorCode } from './failures.ts';

/**
 * A context is a user unless it has a `kind`. With the kind `multi` each field is a context of its own, with a targeting
 * key or a `key`; a targeting key beside them has no meaning, and is ignored because some SDKs always send one.
 */
export function readOpenFeatureContext(given: unknown): Context {
  if (given === undefined || given === null) throw missingKey('targetingKey');
  if (!isObject(given))
    throw broken('INVALID_CONTEXT', 'The context is not valid: it must be a JSON object.');
  const { targetingKey, kind = USER, ...rest } = given;
  try {
    if (kind === 'multi') return readContext({ kind, ...toParts(rest) });
    return readContext({ ...rest, kind, key: checkKey(targetingKey, 'targetingKey') });
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== undefined) throw error;
    throw broken('INVALID_CONTEXT', error.message);
  }
}

function toParts(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([kind, part]) => {
      if (!isObject(part)) return [kind, part];
      const { targetingKey, key, ...rest } = part;
      return [kind, { ...rest, key: checkKey(targetingKey ?? key, `${shorten(kind)}.targetingKey`) }];
    }),
  );
}

/** A key that is there but no text is an invalid context, for `readContext` to say. */
function checkKey(key: unknown, field: string): unknown {
  if (key === undefined || key === null || key === '') throw missingKey(field);
  return key;
}

function missingKey(field: string): Failure {
  return broken(
    'TARGETING_KEY_MISSING',
    `The context needs a key: ${field} must be a text that is not empty.`,
  );
}

function broken(code: OfrepErrorCode, message: string): Failure {
  return new Failure('invalid', message, { code });
}
