// Patches of the kinds that edit a resource as it is shown: JSON patch and merge patch.
import { Failure } from '../kernel/failure.ts';
import { applyJsonPatch } from '../kernel/patch/json-patch.ts';
import { areEqual, isObject, type JsonObject } from '../kernel/patch/json-value.ts';
import { applyMergePatch } from '../kernel/patch/merge-patch.ts';
import { isUnderscored } from '../kernel/patch/pointer.ts';
import { readPatch, type Patch, type PatchKind } from './patch-body.ts';
import type { Call } from '../kernel/route.ts';
import type { Update } from '../kernel/change/change.ts';
import { checker, problem, type Static, type TObject } from '../kernel/schema.ts';

export type DocumentPatch = Exclude<Patch, { kind: 'semantic' }>;
export type SemanticPatch = Extract<Patch, { kind: 'semantic' }>;

type PatchCall = Pick<Call, 'body' | 'headers'>;

export function readCallPatch(call: PatchCall, accepts: readonly PatchKind[]): Patch {
  return readPatch(call.body, call.headers['content-type'] as string, accepts);
}

/** For a resource that takes no semantic patch. */
export function readDocumentPatch(call: PatchCall, accepts: readonly ('json' | 'merge')[]): DocumentPatch {
  return readCallPatch(call, accepts) as DocumentPatch;
}

/** For a resource that takes nothing else. */
export function readSemanticPatch(call: PatchCall): SemanticPatch {
  return readCallPatch(call, ['semantic']) as SemanticPatch;
}

/** Where the path or the resource says which environment it is, a body that names another one is a mistake. */
export function requireEnvironment({ environmentKey }: SemanticPatch, environment: { key: string }): void {
  if (environmentKey === undefined || environmentKey === environment.key) return;
  throw problem('environmentKey', `must be that of the resource, ${environment.key}`);
}

export interface PatchRules<Editable extends TObject> {
  /** The members a patch may change, and what they may be. Those that are optional may be unset. */
  editable: Editable;
  /** Members further down that may be unset: removing an absent one does nothing, replacing it sets it. */
  optional?: (pointer: string) => boolean;
}

/**
 * Makes a function that applies a patch to a resource as it is shown, and gives back its editable members. Whatever else
 * would change is refused, and so is what the schema does not allow.
 */
export function editor<Editable extends TObject>({ editable, optional }: PatchRules<Editable>) {
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
        ? applyJsonPatch(shown, patch.operations, rules)
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

/** The update as the audit log keeps it. */
export function updateOf(patch: Patch): Update {
  if (patch.kind === 'json') return { patch: patch.operations };
  return patch.kind === 'merge' ? { merge: patch.fields } : { instructions: patch.instructions };
}
