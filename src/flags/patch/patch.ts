// Patches of resources: reads the body of a PATCH request, whose kind body and media type tell, and applies JSON patches and merge patches to what the API shows.
import { Failure, type FailureDetails } from '../../kernel/failure.ts';
import { applyJsonPatch } from './json-patch.ts';
import {
  areEqual,
  isObject,
  type JsonObject,
  isDeeperThan,
  MAX_DEPTH,
} from '../../kernel/json/json-value.ts';
import { applyMergePatch } from './merge-patch.ts';
import { isUnderscored } from '../../kernel/json/pointer.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Update } from '../../kernel/change/change.ts';
import { checker, problem, type Static, type TObject } from '../../kernel/schema/schema.ts';
import { parseMediaType } from '../../kernel/http/body/media-type.ts';

export interface Instruction {
  kind: string;
  [parameter: string]: unknown;
}

export type Patch =
  | { kind: 'json'; operations: unknown[]; comment?: string }
  | { kind: 'merge'; fields: JsonObject; comment?: string }
  | { kind: 'semantic'; instructions: Instruction[]; environmentKey?: string; comment?: string };

export type PatchKind = Patch['kind'];
export type DocumentPatch = Exclude<Patch, { kind: 'semantic' }>;
export type SemanticPatch = Extract<Patch, { kind: 'semantic' }>;

const NAMES: Record<PatchKind, string> = {
  json: 'a JSON patch',
  merge: 'a merge patch',
  semantic: 'a semantic patch',
};

/** The body formats of each kind, the one with a comment last. */
const FORMS: Record<PatchKind, string> = {
  json: '[{"op", "path", "value"}] or {"comment", "patch": [...]}',
  merge: '{"field": value} or {"comment", "merge": {...}}',
  semantic: '{"comment", "environmentKey", "instructions": [{"kind", ...}]}',
};

/** Every body whose members are among these is an envelope: no resource has fields of these names. */
const ENVELOPE: ReadonlySet<string> = new Set(['comment', 'patch', 'merge']);

/** If a route accepts only semantic patches, the domain-model may be absent: generated clients do not send it. */
export const SEMANTIC_PATCH = 'application/json; domain-model=flagservice.semanticpatch';
const SEMANTIC_HEADER = `Content-Type: ${SEMANTIC_PATCH}`;

export function readPatch(body: unknown, mediaType: string, accepts: readonly PatchKind[]): Patch {
  const media = parseMediaType(mediaType);
  if (media?.type !== 'application/json') {
    throw new Failure('malformed', 'The Content-Type of a patch must be application/json.');
  }
  const isNamed = /^[\w-]+\.semanticpatch$/i.test(media.parameters['domain-model'] ?? '');
  const isSemantic = isNamed || accepts.every((kind) => kind === 'semantic');
  const patch = isSemantic ? readSemantic(body) : readPlain(body);
  if (!accepts.includes(patch.kind)) {
    const taken = accepts.map((kind) => `${NAMES[kind]}: ${FORMS[kind]}`).join('; or ');
    throw unreadable(`The body is ${NAMES[patch.kind]}, and this resource takes ${taken}.`);
  }
  return patch;
}

function readPlain(body: unknown): Patch {
  if (Array.isArray(body)) return { kind: 'json', operations: body };
  if (!isObject(body)) throw unreadable('The body of a patch must be a list or an object.');
  if (Object.hasOwn(body, 'instructions')) {
    throw new Failure(
      'malformed',
      `The body has instructions, as a semantic patch has. Send it with the header "${SEMANTIC_HEADER}".`,
    );
  }
  const members = Object.keys(body);
  if (members.length === 0 || members.some((member) => !ENVELOPE.has(member))) {
    return { kind: 'merge', fields: body };
  }
  return readEnvelope(body);
}

function readEnvelope(body: JsonObject): Patch {
  const { patch, merge } = body;
  if (patch === undefined && merge === undefined) throw badEnvelope('the comment is alone');
  if (patch !== undefined && merge !== undefined) throw badEnvelope('there are both');
  if (patch !== undefined) {
    if (!Array.isArray(patch)) throw badEnvelope('"patch" must be a list of operations');
    return { kind: 'json', operations: patch, ...readComment(body) };
  }
  if (!isObject(merge)) throw badEnvelope('"merge" must be an object of fields');
  return { kind: 'merge', fields: merge, ...readComment(body) };
}

function badEnvelope(reason: string): Failure {
  return unreadable(
    `An envelope is {"comment", "patch": [...]} or {"comment", "merge": {...}}, and here ${reason}.`,
  );
}

function unreadable(message: string, details?: FailureDetails): Failure {
  return new Failure('bad-patch', message, details);
}

function readSemantic(body: unknown): Patch {
  if (!isObject(body)) throw unreadable(`The body of a semantic patch must be ${FORMS.semantic}.`);
  const { instructions, environmentKey } = body;
  if (!Array.isArray(instructions) || instructions.length === 0) {
    throw unreadable(`A semantic patch needs a list of instructions: ${FORMS.semantic}.`);
  }
  if (isDeeperThan(MAX_DEPTH, instructions)) {
    throw unreadable(`The instructions are nested deeper than ${MAX_DEPTH} levels.`);
  }
  for (const [index, instruction] of instructions.entries()) {
    if (!isInstruction(instruction)) {
      throw unreadable(`instructions[${index}] must be an object with a "kind".`, { instruction: index });
    }
  }
  if (environmentKey !== undefined && typeof environmentKey !== 'string') {
    throw unreadable('environmentKey must be a string.');
  }
  return {
    kind: 'semantic',
    instructions,
    ...(environmentKey !== undefined && { environmentKey }),
    ...readComment(body),
  };
}

function isInstruction(value: unknown): value is Instruction {
  return isObject(value) && typeof value.kind === 'string';
}

function readComment({ comment }: JsonObject): { comment?: string } {
  if (comment === undefined) return {};
  if (typeof comment !== 'string') throw unreadable('The comment must be a string.');
  // PostgreSQL cannot store it.
  if (comment.includes('\0')) throw new Failure('malformed', 'The comment must not have a NUL in it.');
  return { comment };
}

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
