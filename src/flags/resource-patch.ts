// JSON patches and merge patches of a resource's representation, and schemas for routes that take patches.
import { Failure } from '../kernel/failure.ts';
import { applyJsonPatch } from './patch/json-patch.ts';
import { areEqual, isObject, type JsonObject } from '../kernel/json/json-value.ts';
import { applyMergePatch } from './patch/merge-patch.ts';
import { isUnderscored } from '../kernel/json/pointer.ts';
import { readPatch, type Patch, type PatchKind } from './patch-body.ts';
import type { Call } from '../kernel/http/route.ts';
import type { Update } from '../kernel/change/change.ts';
import { checker, problem, type Static, type TObject } from '../kernel/schema/schema.ts';

export type DocumentPatch = Exclude<Patch, { kind: 'semantic' }>;
export type SemanticPatch = Extract<Patch, { kind: 'semantic' }>;

type PatchCall = Pick<Call, 'body' | 'headers'>;

export function readCallPatch(call: PatchCall, accepts: readonly PatchKind[]): Patch {
  return readPatch(call.body, call.headers['content-type'] as string, accepts);
}

/** For resources that take no semantic patches. */
export function readDocumentPatch(call: PatchCall, accepts: readonly ('json' | 'merge')[]): DocumentPatch {
  return readCallPatch(call, accepts) as DocumentPatch;
}

/** For resources that take only semantic patches. */
export function readSemanticPatch(call: PatchCall): SemanticPatch {
  return readCallPatch(call, ['semantic']) as SemanticPatch;
}

/** Fails if the body names another environment than the path or the resource. */
export function requireEnvironment({ environmentKey }: SemanticPatch, environment: { key: string }): void {
  if (environmentKey === undefined || environmentKey === environment.key) return;
  throw problem('environmentKey', `must be that of the resource, ${environment.key}`);
}

export interface PatchRules<Editable extends TObject> {
  /** The schema of the properties that a patch may change. Optional ones may be removed. */
  editable: Editable;
  /** Nested properties that may be removed: removing an absent one does nothing, replacing it adds it. */
  optional?: (pointer: string) => boolean;
  /** Those of them that JSON patches may set to null, which removes them: programs send that for a list that they do not have. */
  nullable?: (pointer: string) => boolean;
  /** Properties that clients know and this server does not have, by pointer. */
  missing?: Readonly<Record<string, MissingProperty>>;
}

/** An operation on such a property has no effect, or is refused. */
export interface MissingProperty {
  /** Whether the value says how it is here anyway. */
  isSo(value: unknown): boolean;
  /** Why other values are refused. */
  refusal: string;
}

/**
 * Returns a function that applies a patch to a representation and returns its editable properties. It fails for changes
 * to other properties and for values that the schema does not allow.
 */
export function editor<Editable extends TObject>({
  editable,
  optional,
  nullable = () => false,
  missing = {},
}: PatchRules<Editable>) {
  const names = new Set(Object.keys(editable.properties));
  const check = checker(editable, 'body');
  const rules = {
    optional: (pointer: string) =>
      pointer.lastIndexOf('/') === 0 ? names.has(pointer.slice(1)) : optional?.(pointer) === true,
    locked: isUnderscored,
  };
  return (shown: JsonObject, patch: DocumentPatch): Static<Editable> => {
    const patched =
      patch.kind === 'json'
        ? applyJsonPatch(shown, readOperations(patch.operations, { nullable, missing }), rules)
        : applyMergePatch(shown, patch.fields, rules);
    if (!isObject(patched)) throw new Failure('bad-patch', 'A resource cannot become what is no object.');
    for (const name of new Set([...Object.keys(shown), ...Object.keys(patched)])) {
      if (names.has(name) || areEqual(shown[name], patched[name])) continue;
      throw problem(name, 'cannot be changed');
    }
    const wanted = Object.fromEntries(Object.entries(patched).filter(([name]) => names.has(name)));
    check(wanted);
    return wanted as Static<Editable>;
  };
}

/** Operations that cannot be read are left as they are: applying them fails. */
function readOperations(
  operations: readonly unknown[],
  { nullable, missing }: Required<Pick<PatchRules<TObject>, 'nullable' | 'missing'>>,
): unknown[] {
  return operations.flatMap((operation) => {
    if (!isObject(operation)) return [operation];
    const { op, path, value } = operation;
    if (typeof path !== 'string' || (op !== 'add' && op !== 'replace')) return [operation];
    const absent = Object.hasOwn(missing, path) ? missing[path] : undefined;
    if (absent?.isSo(value) === true) return [];
    if (absent !== undefined) throw problem(path.slice(1), absent.refusal);
    return value === null && nullable(path) ? [{ op: 'remove', path }] : [operation];
  });
}

/** The patch as the audit log stores it. */
export function updateOf(patch: Patch): Update {
  if (patch.kind === 'json') return { patch: patch.operations };
  return patch.kind === 'merge' ? { merge: patch.fields } : { instructions: patch.instructions };
}
