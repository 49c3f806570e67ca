// What the member commands print and ask, whether they work on the database or on a server.
import { Failure } from '../../kernel/failure.ts';
import { alignTable, printJson, wantsJson, type Io } from '../io.ts';

interface ReportedMember {
  id: string;
  username: string;
  email: string;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  role: string;
  customRoles: readonly string[];
  createdAt: number;
  lastSeenAt?: number | undefined;
}

export function printMembers(members: readonly ReportedMember[], options: { json?: boolean }, io: Io): void {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  const rows = members.map((member) => ({
    id: member.id,
    username: member.username,
    email: member.email,
    name: [member.firstName, member.lastName].filter(Boolean).join(' ') || null,
    role: member.role,
    customRoles: member.customRoles,
    createdAt: time(member.createdAt),
    lastSeenAt: time(member.lastSeenAt),
  }));
  if (wantsJson(options, io)) printJson(io, rows);
  else
    io.out(
      alignTable(
        ['Username', 'E-mail', 'Role', 'Custom roles', 'Last seen'],
        rows.map((row) => [
          row.username,
          row.email,
          row.role,
          row.customRoles.join(','),
          row.lastSeenAt?.slice(0, 16).replace('T', ' ') ?? 'never',
        ]),
      ),
    );
}

/** The link alone goes to standard output. */
export function printLink(
  facts: object,
  link: string | undefined,
  options: { json?: boolean },
  io: Io,
): void {
  if (options.json === true) printJson(io, { ...facts, link: link ?? null });
  else if (link !== undefined) io.out(link);
}

export function unknownMember(name: string, { program }: Io): Failure {
  return new Failure('not-found', `There is no member "${name}": ${program} member ls shows them.`);
}

/** Without a terminal --yes is required. */
export async function confirmRemoval(
  { username, email, role }: Pick<ReportedMember, 'username' | 'email' | 'role'>,
  options: { yes?: boolean },
  io: Io,
): Promise<boolean> {
  const words = `${username} (${email}, ${role})`;
  if (options.yes === true) return true;
  if (io.confirm === undefined)
    throw new Failure('invalid', `There is nobody to ask whether to remove ${words}: say so with --yes.`);
  if (await io.confirm(`Remove ${words}?`)) return true;
  io.err('Nobody was removed.');
  return false;
}
