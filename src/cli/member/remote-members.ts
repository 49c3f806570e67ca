// The member commands on a server that is named: by its APIs, with the permissions of the token.
import type { Config } from '../../app/config.ts';
import { Failure } from '../../kernel/failure.ts';
import type { AccountMember } from '../../signalbox/members/model.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { EXIT } from '../command-errors.ts';
import { readInput, type Io } from '../io.ts';
import { openRemote, type RemoteOptions, type RemoteServer } from '../remote/remote-server.ts';
import { listPages, sendForJson } from '../remote/send.ts';
import { confirmRemoval, printLink, printMembers, unknownMember } from './report-members.ts';

type RemoteMember = Static<typeof AccountMember>;

interface PasswordOptions extends RemoteOptions {
  passwordStdin?: boolean;
  json?: boolean;
}

export function runRemoteAdd(
  config: Config,
  email: string,
  options: PasswordOptions & { role: string; username?: string },
  io: Io,
): Promise<number> {
  if (options.username !== undefined)
    throw new Failure(
      'invalid',
      'A server makes the username from the address: leave --username out, or use the command on its machine.',
    );
  return on(config, options, io, async (server) => {
    const { role } = options;
    const password =
      options.passwordStdin === true
        ? (await readInput(io)).toString('utf8').replace(/\r?\n$/, '')
        : undefined;
    const { items } = await sendForJson<{ items: { _id: string; _links: { login?: { href: string } } }[] }>(
      server,
      {
        method: 'POST',
        path: '/api/v2/members',
        body: JSON.stringify([{ email, role, ...(password !== undefined && { password }) }]),
      },
    );
    const { _id: id, _links: links } = items[0]!;
    const { username } = await requireMember(server, id, io);
    printLink({ id, username, email: email.toLowerCase(), role }, links.login?.href, options, io);
    if (options.json !== true) io.err(`Added ${username} (${email}) with the role ${role} on ${server.url}.`);
    return EXIT.good;
  });
}

export function runRemoteLs(
  config: Config,
  options: RemoteOptions & { json?: boolean },
  io: Io,
): Promise<number> {
  return on(config, options, io, async (server) => {
    const members: RemoteMember[] = [];
    for await (const member of membersOf(server)) members.push(member);
    printMembers(
      members.map((member) => ({ ...member, customRoles: member.customRoles.map(({ key }) => key) })),
      options,
      io,
    );
    return EXIT.good;
  });
}

export function runRemoteSetRole(
  config: Config,
  name: string,
  role: string,
  options: RemoteOptions,
  io: Io,
): Promise<number> {
  return on(config, options, io, async (server) => {
    const member = await requireMember(server, name, io);
    if (member.role === role) {
      io.err(`${member.username} has the role ${role} already.`);
      return EXIT.good;
    }
    await sendForJson(server, {
      method: 'PATCH',
      path: `/api/v2/members/${member.id}`,
      body: JSON.stringify([{ op: 'replace', path: '/role', value: role }]),
    });
    io.err(`${member.username} has the role ${role} now, and had ${member.role}.`);
    return EXIT.good;
  });
}

/** Somebody at a browser may not end how another person logs in: the link does that when it is used. */
export function runRemoteReset(
  config: Config,
  name: string,
  options: PasswordOptions,
  io: Io,
): Promise<number> {
  if (options.passwordStdin === true)
    throw new Failure(
      'invalid',
      'Only the command on the machine of the server sets a password: leave --password-stdin out, and pass the link on.',
    );
  return on(config, options, io, async (server) => {
    const { id, username } = await requireMember(server, name, io);
    const { url, expiresAt } = await sendForJson<{ url: string; expiresAt: number }>(server, {
      method: 'POST',
      path: `/signalbox/v1/members/${id}/login-link`,
    });
    const until = new Date(expiresAt).toISOString();
    printLink({ id, username, expiresAt: until }, url, options, io);
    if (options.json !== true)
      io.err(
        `The link lets ${username} in once, until ${until}, to set a new password. The old password and the sessions go on working until then.`,
      );
    return EXIT.good;
  });
}

export function runRemoteRemove(
  config: Config,
  name: string,
  options: RemoteOptions & { yes?: boolean },
  io: Io,
): Promise<number> {
  return on(config, options, io, async (server) => {
    const member = await requireMember(server, name, io);
    if (!(await confirmRemoval(member, options, io))) return EXIT.failed;
    await sendForJson(server, { method: 'DELETE', path: `/api/v2/members/${member.id}` });
    io.err(`Removed ${member.username} from ${server.url}.`);
    return EXIT.good;
  });
}

async function on(
  config: Config,
  options: RemoteOptions,
  io: Io,
  work: (server: RemoteServer) => Promise<number>,
): Promise<number> {
  const server = await openRemote(config, options, io);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

function membersOf(server: RemoteServer): AsyncGenerator<RemoteMember, void, void> {
  return listPages<RemoteMember>(server, '/signalbox/v1/members?limit=100');
}

async function requireMember(server: RemoteServer, name: string, io: Io): Promise<RemoteMember> {
  for await (const member of membersOf(server))
    if (member.username === name || member.id === name || member.email === name.toLowerCase()) return member;
  throw unknownMember(name, io);
}
