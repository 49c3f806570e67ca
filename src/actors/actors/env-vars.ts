// The environment variables of a version: sealed where they are secret, plain for the program that gets them.
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { checkEnvVars, type ActorVersion, type EnvVar, type SentEnvVar } from './version.ts';

/** The plain values, for a program of this version. */
export function openEnvVars(
  { secrets }: Pick<Kernel, 'secrets'>,
  { envVars }: Pick<ActorVersion, 'envVars'>,
): Record<string, string> {
  return Object.fromEntries(
    envVars.map(({ name, value, isSecret }) => [name, isSecret ? secrets.open(value) : value]),
  );
}

/** The first secret of a server may wait for the database, so this comes before the transaction that stores secrets. */
export async function prepareSealing(
  secrets: SecretBox,
  sent: readonly Pick<SentEnvVar, 'isSecret'>[],
): Promise<void> {
  if (sent.some(({ isSecret }) => isSecret === true)) await secrets.seal('');
}

/** Replaces the whole list. */
export async function changeEnvVars(
  secrets: SecretBox,
  before: readonly EnvVar[],
  sent: readonly SentEnvVar[],
): Promise<EnvVar[]> {
  const known = new Map(before.map((envVar) => [envVar.name, envVar]));
  const after = new Map<string, EnvVar>();
  for (const envVar of sent) {
    if (after.has(envVar.name)) throw problem('envVars', `has ${envVar.name} twice`);
    after.set(envVar.name, await changeEnvVar(secrets, known.get(envVar.name), envVar));
  }
  const envVars = [...after.values()];
  checkEnvVars(envVars);
  return envVars;
}

/**
 * A secret is never shown, so a client that sends back what it got sends no value: then the stored one stays. It stays
 * secret until the caller says otherwise and gives a new value: nobody can read one by making it public.
 */
export async function changeEnvVar(
  secrets: SecretBox,
  before: EnvVar | undefined,
  { name, value, isSecret: asked }: SentEnvVar,
): Promise<EnvVar> {
  const isSecret = asked ?? before?.isSecret ?? false;
  if (value != null) return { name, value: isSecret ? await secrets.seal(value) : value, isSecret };
  if (before === undefined) throw problem('value', `is required for ${name}`);
  if (before.isSecret === isSecret) return before;
  if (before.isSecret) throw problem('value', `is required for ${name}: what was secret is not revealed`);
  return { name, value: await secrets.seal(before.value), isSecret };
}
