// Reads a file of e-mail addresses, one in the first column of each line, and checks each.
import { Failure } from '../../kernel/failure.ts';
import { isEmail } from '../../kernel/identity/email.ts';

export interface AddressLine {
  line: number;
  value: string;
}

/** Per file. */
const MAX_ROWS = 50_000;

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

/** Known members, by addresses in lower case. */
export interface KnownAddresses {
  idOf: ReadonlyMap<string, string>;
  inTeam: ReadonlySet<string>;
}

type Problem = 'empty' | 'format' | 'duplicate' | 'unknown' | 'present';

const WORDS: Record<Problem, string> = {
  empty: 'empty row',
  format: 'invalid email formatting',
  duplicate: 'duplicate entry',
  unknown: 'email does not belong to a member',
  present: 'email already exists in the specified team',
};

/** The message if all lines have the same problem. */
const OVERALL: Record<Problem, string> = {
  empty: 'File is empty',
  format: 'All emails have invalid formatting',
  duplicate: 'Unable to process file',
  unknown: 'No emails belong to members of this account',
  present: 'All emails belong to existing team members',
};

export function checkAddresses(entries: readonly AddressLine[], known: KnownAddresses) {
  const seen = new Set<string>();
  const problems = entries.map(({ value }) => {
    const address = value.toLowerCase();
    const problem = problemOf(address, seen, known);
    seen.add(address);
    return problem;
  });
  const items = entries.map(({ line, value }, index): CheckedAddress => {
    const problem = problems[index];
    if (problem === undefined) return { status: 'success', value };
    return { status: 'error', value, message: `Line ${line}: ${WORDS[problem]}` };
  });
  const isGood = problems.every((problem) => problem === undefined);
  const [only, ...others] = [...new Set(problems)];
  const overall =
    entries.length === 0 ? OVERALL.empty : others.length === 0 && only ? OVERALL[only] : undefined;
  return { items, isGood, overall };
}

function problemOf(
  address: string,
  seen: ReadonlySet<string>,
  { idOf, inTeam }: KnownAddresses,
): Problem | undefined {
  if (address === '') return 'empty';
  if (!isEmail(address)) return 'format';
  if (seen.has(address)) return 'duplicate';
  const id = idOf.get(address);
  if (id === undefined) return 'unknown';
  return inTeam.has(id) ? 'present' : undefined;
}
