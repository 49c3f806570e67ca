// Reads whom a call takes into a team, from a form with a file of e-mail addresses or from JSON with addresses and ids, and checks each of them.
import type { IncomingMessage } from 'node:http';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { parseMediaType } from '../../kernel/http/body/media-type.ts';
import { formOf } from '../multipart.ts';
import type { Call } from '../../kernel/http/route.ts';
import { checker, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { isEmail } from '../../kernel/text/email.ts';

/** Per call. */
const MAX_ROWS = 50_000;
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

interface AddressLine {
  line: number;
  value: string;
}

/** A member whom JSON names, by e-mail address or by id. */
interface MemberField {
  /** For example `emails.2`. */
  field: string;
  value: string;
  isId?: true;
}

export type NamedMember = AddressLine | MemberField;

/** All lines except a heading and empty lines at the end. */
export function readAddresses(text: string): AddressLine[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r\n|\n|\r/, MAX_ROWS + 2);
  const entries = lines.map((line, index) => ({ line: index + 1, value: firstCell(line) }));
  const hasHeading = /^e-?mail/i.test(entries[0]?.value ?? '') && !isEmail(entries[0]!.value);
  const rows = hasHeading ? entries.slice(1) : entries;
  if (rows.length > MAX_ROWS) throw new Failure('invalid', `File has more than ${MAX_ROWS} rows`);
  return rows;
}

function firstCell(line: string): string {
  const quoted = /^\s*"((?:[^"]|"")*)"/.exec(line)?.[1];
  return (quoted === undefined ? (line.split(/[,;\t]/, 1)[0] ?? '') : quoted.replaceAll('""', '"')).trim();
}

interface CheckedAddress {
  status: 'success' | 'error';
  value: string;
  message?: string;
}

/** Known members, by addresses in lower case, and those of the ids that are ids of members. */
interface KnownMembers {
  idOf: ReadonlyMap<string, string>;
  ids?: ReadonlySet<string>;
  inTeam: ReadonlySet<string>;
}

type Problem = 'empty' | 'format' | 'duplicate' | 'unknown' | 'unknown-id' | 'present';

const WORDS: Record<Problem, string> = {
  empty: 'empty row',
  format: 'invalid email formatting',
  duplicate: 'duplicate entry',
  unknown: 'email does not belong to a member',
  'unknown-id': 'not the id of a member',
  present: 'email already exists in the specified team',
};

/** The message if all lines of a file have the same problem. */
const OVERALL: Record<Exclude<Problem, 'unknown-id'>, string> = {
  empty: 'File is empty',
  format: 'All emails have invalid formatting',
  duplicate: 'Unable to process file',
  unknown: 'No emails belong to members of this account',
  present: 'All emails belong to existing team members',
};

export function checkAddresses(entries: readonly NamedMember[], known: KnownMembers) {
  const seen = new Set<string>();
  const problems = entries.map((entry) => {
    const address = entry.value.toLowerCase();
    const id = isById(entry) ? entry.value : known.idOf.get(address);
    const reason = problemOf(entry, { id, seen, known });
    seen.add(id ?? address);
    return reason;
  });
  const items = entries.map((entry, index): CheckedAddress => {
    const { value } = entry;
    const reason = problems[index];
    if (reason === undefined) return { status: 'success', value };
    return { status: 'error', value, message: describe(entry, reason) };
  });
  const isGood = problems.every((reason) => reason === undefined);
  const [only, ...others] = [...new Set(problems)];
  const isUniform = others.length === 0 && only !== undefined;
  const overall =
    entries.length === 0 ? OVERALL.empty : isUniform ? describeAll(entries[0]!, only) : undefined;
  return { items, isGood, overall };
}

export function isById(entry: NamedMember): boolean {
  return 'isId' in entry;
}

function describe(entry: NamedMember, reason: Problem): string {
  if ('line' in entry) return `Line ${entry.line}: ${WORDS[reason]}`;
  return `${entry.field}: ${reason === 'empty' ? 'empty' : WORDS[reason]}`;
}

function describeAll(first: NamedMember, reason: Problem): string {
  return 'line' in first && reason !== 'unknown-id'
    ? OVERALL[reason]
    : `Nobody was added. ${describe(first, reason)}`;
}

interface ResolvedMember {
  id: string | undefined;
  seen: ReadonlySet<string>;
  known: KnownMembers;
}

function problemOf(entry: NamedMember, { id, seen, known }: ResolvedMember): Problem | undefined {
  const address = entry.value.toLowerCase();
  if (address === '') return 'empty';
  if (!isById(entry) && !isEmail(address)) return 'format';
  if (seen.has(id ?? address)) return 'duplicate';
  if (isById(entry) && known.ids?.has(entry.value) !== true) return 'unknown-id';
  if (id === undefined) return 'unknown';
  return known.inTeam.has(id) ? 'present' : undefined;
}
