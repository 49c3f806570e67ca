// The command `flags toggle`: turns a flag on or off in one environment.
import type { LoadedSettings } from '../../app/read-settings.ts';
import { Failure } from '../../kernel/failure.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, wantsJson, type Io } from '../io.ts';
import { openRemote, type RemoteOptions } from './remote-server.ts';
import { sendForJson } from './send.ts';

interface ToggleOptions extends RemoteOptions {
  env: string;
  on?: boolean;
  off?: boolean;
  comment?: string;
  json?: boolean;
}

interface FlagReply {
  environments: Record<string, { on: boolean } | undefined>;
}

export async function runToggleFlag(
  { config }: LoadedSettings,
  flag: string,
  options: ToggleOptions,
  io: Io,
): Promise<number> {
  const [project, key, ...rest] = flag.split('/');
  if (!project || !key || rest.length > 0)
    throw new Failure('invalid', `Name the flag as project/flag, not "${flag}".`);
  if (options.on === true && options.off === true)
    throw new Failure('invalid', 'A flag cannot be turned on and off at once: give --on or --off.');
  const { env, comment } = options;
  const server = await openRemote(config, options, io);
  try {
    const path = `/api/v2/flags/${encodeURIComponent(project)}/${encodeURIComponent(key)}`;
    const { environments } = await sendForJson<FlagReply>(server, {
      path: `${path}?env=${encodeURIComponent(env)}`,
    });
    const before = environments[env]?.on;
    if (before === undefined)
      throw new Failure(
        'not-found',
        `The flag ${flag} has no environment "${env}": name another with --env.`,
      );
    const isOn = options.on === true || (options.off !== true && !before);
    if (isOn !== before)
      await sendForJson(server, {
        method: 'PATCH',
        path,
        headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
        body: JSON.stringify({
          environmentKey: env,
          instructions: [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }],
          ...(comment !== undefined && { comment }),
        }),
      });
    const facts = { flag: key, project, environment: env, isOn, wasOn: before };
    if (wantsJson(options, io)) printJson(io, facts);
    else io.out(`${flag} is ${isOn ? 'on' : 'off'} in ${env}${isOn === before ? ', as it was before' : ''}.`);
    return EXIT.good;
  } finally {
    await server.close();
  }
}
