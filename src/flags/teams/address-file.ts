// Reads a file of e-mail addresses, one in the first column of each line, and checks whom a call names for a team.
import { Failure } from '../../kernel/failure.ts';
import { isEmail } from '../../kernel/text/email.ts';

export interface AddressLine {
  line: number;
  value: string;
}

/** A member whom JSON names, by e-mail address or by id. */
export interface MemberField {
  /** For example `emails.2`. */
  field: string;
  value: string;
  isId?: true;
}

export type NamedMember = AddressLine | MemberField;

/** Per call. */
export const MAX_ROWS = 50_000;

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

export interface CheckedAddress {
  status: 'success' | 'error';
  value: string;
  message?: string;
}

/** Known members, by addresses in lower case, and those of the ids that are ids of members. */
export interface KnownMembers {
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
    const problem = problemOf(entry, { id, seen, known });
    seen.add(id ?? address);
    return problem;
  });
  const items = entries.map((entry, index): CheckedAddress => {
    const { value } = entry;
    const problem = problems[index];
    if (problem === undefined) return { status: 'success', value };
    return { status: 'error', value, message: describe(entry, problem) };
  });
  const isGood = problems.every((problem) => problem === undefined);
  const [only, ...others] = [...new Set(problems)];
  const isUniform = others.length === 0 && only !== undefined;
  const overall =
    entries.length === 0 ? OVERALL.empty : isUniform ? describeAll(entries[0]!, only) : undefined;
  return { items, isGood, overall };
}

export function isById(entry: NamedMember): boolean {
  return 'isId' in entry;
}

function describe(entry: NamedMember, problem: Problem): string {
  if ('line' in entry) return `Line ${entry.line}: ${WORDS[problem]}`;
  return `${entry.field}: ${problem === 'empty' ? 'empty' : WORDS[problem]}`;
}

function describeAll(first: NamedMember, problem: Problem): string {
  return 'line' in first && problem !== 'unknown-id'
    ? OVERALL[problem]
    : `Nobody was added. ${describe(first, problem)}`;
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
