// Reads the body of a PATCH request: finds the kind of patch by body and media type, and unwraps the envelope.
import { Failure, type FailureDetails } from '../kernel/failure.ts';
import { parseMediaType } from '../kernel/http/body/media-type.ts';
import { isDeeperThan, isObject, MAX_DEPTH, type JsonObject } from '../kernel/json/json-value.ts';

export interface Instruction {
  kind: string;
  [parameter: string]: unknown;
}

export type Patch =
  | { kind: 'json'; operations: unknown[]; comment?: string }
  | { kind: 'merge'; fields: JsonObject; comment?: string }
  | { kind: 'semantic'; instructions: Instruction[]; environmentKey?: string; comment?: string };

export type PatchKind = Patch['kind'];

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
