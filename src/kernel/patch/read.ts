// Tells from a PATCH request's body and media type which kind of patch it is, and takes it out of its envelope.
import { Failure } from '../failure.ts';
import { parseMediaType } from '../media-type.ts';
import { isDeeperThan, isObject, MAX_DEPTH, type JsonObject } from './json-value.ts';

export interface Instruction {
  kind: string;
  [parameter: string]: unknown;
}

export type Patch =
  | { kind: 'json'; operations: unknown[]; comment?: string }
  | { kind: 'merge'; fields: JsonObject; comment?: string }
  | { kind: 'semantic'; instructions: Instruction[]; environmentKey?: string; comment?: string };

export type PatchKind = Patch['kind'];

const nameOf: Record<PatchKind, string> = {
  json: 'a JSON patch',
  merge: 'a merge patch',
  semantic: 'a semantic patch',
};

export function readPatch(body: unknown, mediaType: string, accepts: readonly PatchKind[]): Patch {
  const media = parseMediaType(mediaType);
  if (media?.type !== 'application/json') {
    throw new Failure('malformed', 'The Content-Type of a patch must be application/json.');
  }
  const isSemantic = /^[\w-]+\.semanticpatch$/i.test(media.parameters['domain-model'] ?? '');
  const patch = isSemantic ? readSemantic(body) : readPlain(body);
  if (!accepts.includes(patch.kind)) {
    const taken = accepts.map((kind) => nameOf[kind]).join(' or ');
    throw new Failure(
      'unprocessable',
      `This resource takes ${taken}, and the body is ${nameOf[patch.kind]}.`,
    );
  }
  return patch;
}

function readPlain(body: unknown): Patch {
  if (Array.isArray(body)) return { kind: 'json', operations: body };
  if (!isObject(body)) throw new Failure('unprocessable', 'The body of a patch must be a list or an object.');
  if (Object.hasOwn(body, 'instructions')) {
    throw new Failure(
      'malformed',
      'The body has instructions, as a semantic patch has: that needs a Content-Type with a domain-model parameter.',
    );
  }
  const { comment: _, ...rest } = body;
  const [[member, content] = [], ...others] = Object.entries(rest);
  if (others.length === 0) {
    if (member === 'patch' && Array.isArray(content)) {
      return { kind: 'json', operations: content, ...readComment(body) };
    }
    if (member === 'merge' && isObject(content)) {
      return { kind: 'merge', fields: content, ...readComment(body) };
    }
  }
  return { kind: 'merge', fields: body };
}

function readSemantic(body: unknown): Patch {
  if (!isObject(body)) throw new Failure('unprocessable', 'The body of a semantic patch must be an object.');
  const { instructions, environmentKey } = body;
  if (!Array.isArray(instructions) || instructions.length === 0) {
    throw new Failure('unprocessable', 'A semantic patch needs a list of instructions.');
  }
  if (isDeeperThan(MAX_DEPTH, instructions)) {
    throw new Failure('unprocessable', `The instructions are nested deeper than ${MAX_DEPTH} levels.`);
  }
  for (const [index, instruction] of instructions.entries()) {
    if (!isInstruction(instruction)) {
      throw new Failure('unprocessable', `instructions[${index}] must be an object with a "kind".`);
    }
  }
  if (environmentKey !== undefined && typeof environmentKey !== 'string') {
    throw new Failure('unprocessable', 'environmentKey must be a string.');
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
  if (typeof comment !== 'string') throw new Failure('malformed', 'The comment must be a string.');
  // Not every engine can keep it.
  if (comment.includes('\0')) throw new Failure('malformed', 'The comment must not have a NUL in it.');
  return { comment };
}
