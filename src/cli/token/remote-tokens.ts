// The token commands on a server that is named: by its APIs, with the permissions of the token that calls.
import type { Config } from '../../app/config.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { TokenUse } from '../../signalbox/tokens/model.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, type Io } from '../io.ts';
import { openRemote, type RemoteOptions, type RemoteServer } from '../remote/remote-server.ts';
import { listPages, sendForJson } from '../remote/send.ts';
import { parseDuration, readPolicy, type TokenCreateOptions } from './token-create.ts';
import { confirmAndRevoke, printTokens, requireEnding, type ReportedToken } from './token.ts';

type ListedToken = Static<typeof TokenUse>;

interface CreatedToken {
  _id: string;
  token: string;
}

export async function runRemoteCreate(
  config: Config,
  options: TokenCreateOptions & RemoteOptions,
  io: Io,
): Promise<number> {
  if (options.member !== undefined)
    throw new Failure(
      'invalid',
      'A server makes tokens for the member who calls: leave --member out, or use the command on its machine.',
    );
  const lifetime = options.expires === undefined ? undefined : parseDuration(options.expires);
  const inlineRole = options.policy === undefined ? undefined : readPolicy(options.policy);
  const server = await openRemote(config, options, io);
  try {
    const { member } = await sendForJson<{ member: { role: string } }>(server, { path: '/signalbox/v1/me' });
    const role = inlineRole === undefined ? (options.role ?? member.role) : undefined;
    const { _id: id, token } = await sendForJson<CreatedToken>(server, {
      method: 'POST',
      path: '/api/v2/tokens',
      body: JSON.stringify({
        name: options.name,
        description: 'Made on the command line',
        ...(role === undefined ? { inlineRole } : { role }),
        ...(options.service === true && { serviceToken: true }),
        ...(lifetime !== undefined && { expiry: Date.now() + lifetime }),
      }),
    });
    if (options.json === true) {
      const made = (await listTokens(server)).find((one) => one.id === id);
      printJson(io, { ...made, token });
    } else {
      const power = role === undefined ? 'a policy of its own' : `the role ${role}`;
      io.err(`Token "${options.name}" on ${server.url} with ${power}. It is shown this once: keep it.`);
      io.out(token);
    }
    return EXIT.good;
  } finally {
    await server.close();
  }
}

export async function runRemoteTokens(
  config: Config,
  options: RemoteOptions & { json?: boolean },
  io: Io,
): Promise<number> {
  const server = await openRemote(config, options, io);
  try {
    printTokens(await listTokens(server), options, io);
    return EXIT.good;
  } finally {
    await server.close();
  }
}

export async function runRemoteRevoke(
  config: Config,
  name: string,
  options: RemoteOptions & { yes?: boolean },
  io: Io,
): Promise<number> {
  const server = await openRemote(config, options, io);
  try {
    const tokens = await listTokens(server);
    const token = tokens.find(({ id }) => id === name) ?? requireEnding(tokens, name, io);
    return await confirmAndRevoke(token, options, io, () =>
      sendForJson(server, { method: 'DELETE', path: `/api/v2/tokens/${token.id}` }),
    );
  } finally {
    await server.close();
  }
}

/** Those that the caller may see. */
async function listTokens(server: RemoteServer): Promise<ReportedToken[]> {
  const tokens: ReportedToken[] = [];
  for await (const token of listPages<ListedToken>(server, '/signalbox/v1/tokens?all=true&limit=100'))
    tokens.push(toReported(token));
  return tokens;
}

function toReported(token: ListedToken): ReportedToken {
  const { id, name, member, isService, role, inlinePolicy, customRoles, ending } = token;
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id,
    name,
    member: member?.username ?? null,
    // The name of a service account is not in the list.
    account: isService ? null : (member?.username ?? null),
    kind: isService ? 'service' : 'personal',
    role: role ?? (inlinePolicy ? 'policy' : customRoles.join(',')),
    ending,
    createdAt: time(token.createdAt),
    lastUsedAt: time(token.lastUse?.at),
    expiresAt: time(token.expiresAt),
  };
}
