// The commands `profile save|ls|use|remove`: servers with their tokens, saved by name.
import { EXIT } from '../command-errors.ts';
import { Failure } from '../../kernel/failure.ts';
import { alignTable, printJson, readInput, wantsJson, type Io } from '../io.ts';
import { parseServerUrl } from '../import/addresses.ts';
import { readProfiles, requireProfile, requireProfileName, saveProfiles } from './profiles.ts';
import { sendForJson } from './send.ts';

/** The token is tried first: a wrong one would be noticed only later, by something else. */
export async function runProfileSave(
  name: string,
  options: { url?: string; token?: string },
  io: Io,
): Promise<number> {
  requireProfileName(name);
  const named = options.url ?? io.env['SIGNALBOX_URL'];
  if (!named) throw new Failure('invalid', 'Where is the server? Give its URL with --url.');
  const url = parseServerUrl(named, '--url');
  const token = options.token ?? (io.env['SIGNALBOX_TOKEN'] || (await readToken(io)));
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw new Failure('invalid', 'Give a token with --token, in SIGNALBOX_TOKEN or on standard input.');
  const server = { url, token, close: () => Promise.resolve() };
  await sendForJson(server, { path: '/signalbox/v1/me' });
  const { current, profiles } = readProfiles(io);
  const file = saveProfiles(io, {
    current: current ?? name,
    profiles: { ...profiles, [name]: { url, token } },
  });
  io.err(`Saved the profile "${name}" for ${url} in ${file}.`);
  if (current !== undefined && current !== name) io.err(`To use it: ${io.program} profile use ${name}`);
  return EXIT.good;
}

async function readToken(io: Io): Promise<string> {
  if (io.confirm !== undefined) io.err('Paste the token, then press Enter and Ctrl+D.');
  return (await readInput(io)).toString().trim();
}

/** Without the tokens. */
export function runProfileLs(options: { json?: boolean }, io: Io): number {
  const { current, profiles } = readProfiles(io);
  const rows = Object.entries(profiles).map(([name, { url, token }]) => ({
    name,
    url,
    ending: token.slice(-4),
    isCurrent: name === current,
  }));
  if (wantsJson(options, io)) printJson(io, rows);
  else
    io.out(
      alignTable(
        ['Name', 'URL', 'Token', ''],
        rows.map(({ name, url, ending, isCurrent }) => [name, url, `…${ending}`, isCurrent ? 'in use' : '']),
      ),
    );
  return EXIT.good;
}

export function runProfileUse(name: string, io: Io): number {
  const saved = readProfiles(io);
  const { url } = requireProfile(saved, name, io);
  saveProfiles(io, { ...saved, current: name });
  io.err(
    `Commands that call a server go to ${url} unless they name another; member and token do with --profile ${name}.`,
  );
  return EXIT.good;
}

/** The token goes on working: only its copy here is gone. */
export function runProfileRemove(name: string, io: Io): number {
  const saved = readProfiles(io);
  requireProfile(saved, name, io);
  const { [name]: _, ...profiles } = saved.profiles;
  saveProfiles(io, { profiles, ...(saved.current !== name && { current: saved.current! }) });
  io.err(`Removed the profile "${name}". Its token still works: ${io.program} token revoke ends it.`);
  return EXIT.good;
}
