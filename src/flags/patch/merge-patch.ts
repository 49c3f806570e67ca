// JSON merge patch (RFC 7386): an object of the fields to change, in which null removes a field.
import { Failure } from '../../kernel/failure.ts';
import { isDeeperThan, isObject, MAX_DEPTH, propertyOf, setProperty } from '../../kernel/json/json-value.ts';
import { forbidEditsWithin, type Locked } from '../../kernel/json/pointer.ts';

export interface MergePatchRules {
  locked?: Locked;
}

/** The result shares unchanged parts with the document and the patch: treat all three as immutable. */
export function applyMergePatch(document: unknown, patch: unknown, rules: MergePatchRules = {}): unknown {
  // Merging walks only the patch, so the depth of the document does not matter.
  if (isDeeperThan(MAX_DEPTH, patch)) {
    throw new Failure('bad-patch', `The merge patch is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (rules.locked) forbidEditsWithin(document, patch, '', rules.locked);
  return merge(document, patch);
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setProperty(result, key, merge(propertyOf(result, key), value));
  }
  return result;
}
