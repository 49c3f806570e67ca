// Reads whom a call takes into a team: from a form with a file of e-mail addresses, or from JSON with addresses and ids.
import type { IncomingMessage } from 'node:http';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { parseMediaType } from '../../kernel/http/body/media-type.ts';
import { formOf } from '../multipart.ts';
import type { Call } from '../../kernel/http/route.ts';
import { checker, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { MAX_ROWS, readAddresses, type NamedMember } from './address-file.ts';

const MAX_BYTES = 25 * 1024 * 1024;

const named = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: MAX_ROWS, description }));

export const TeamMembersPost = Type.Object(
  { emails: named('E-mail addresses of members'), memberIDs: named('Ids of members') },
  { $id: 'TeamMembersPost', additionalProperties: false },
);

const check = checker(TeamMembersPost, 'body');

/** For a route with `streams`. */
export async function readPostedMembers(
  call: Pick<Call, 'stream' | 'headers' | 'caller'>,
  kernel: Pick<Kernel, 'bodyMemory'>,
): Promise<NamedMember[]> {
  const sent = call.headers['content-type']?.toString();
  const type = parseMediaType(sent ?? '')?.type;
  if (type === 'multipart/form-data') return readAddresses(await readFile(call));
  if (type === 'application/json') return toNamedMembers(await readPost(call, kernel));
  throw new Failure(
    'malformed',
    `The Content-Type must be application/json or multipart/form-data, not ${sent ?? 'absent'}`,
  );
}

async function readFile(call: Pick<Call, 'stream' | 'headers'>): Promise<string> {
  for await (const { name, body } of formOf(call, MAX_BYTES)) {
    if (name === 'file') return Buffer.concat(await Array.fromAsync(body)).toString();
  }
  throw new Failure('malformed', 'The form has no "file"');
}

/** The memory of the body counts as that of other bodies does, until it is parsed. */
async function readPost(
  { stream, headers, caller }: Pick<Call, 'stream' | 'headers' | 'caller'>,
  { bodyMemory }: Pick<Kernel, 'bodyMemory'>,
): Promise<Static<typeof TeamMembersPost>> {
  // It would neither end nor fail any more.
  if (stream.destroyed) throw new Failure('malformed', 'The caller went away before the body was there');
  const held = bodyMemory.open(caller);
  try {
    // The stream of a route with `streams` is the request itself.
    const bytes = await collectBody(stream as IncomingMessage, MAX_BYTES, held);
    const inflated = await inflateBody(bytes, headers['content-encoding']?.toString(), MAX_BYTES);
    if (inflated !== bytes) held.add(inflated.length);
    const body = inflated.length === 0 ? undefined : await parseJson(inflated);
    check(body);
    return body as Static<typeof TeamMembersPost>;
  } finally {
    held.close();
  }
}

function toNamedMembers({ emails = [], memberIDs = [] }: Static<typeof TeamMembersPost>): NamedMember[] {
  if (emails.length + memberIDs.length === 0)
    throw problem('body', 'must name at least one member, in "emails" or in "memberIDs"');
  return [
    ...emails.map((email, index) => ({ field: `emails.${index}`, value: email.trim() })),
    ...memberIDs.map((id, index) => ({ field: `memberIDs.${index}`, value: id, isId: true as const })),
  ];
}
