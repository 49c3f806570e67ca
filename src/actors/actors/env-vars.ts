// The values of environment variables: sealed where they are secret, plain for the program that gets them.
import type { Kernel } from '../../kernel/kernel.ts';
import type { ActorVersion } from './version.ts';

/** The plain values, for a program of this version. */
export function openEnvVars(
  { secrets }: Pick<Kernel, 'secrets'>,
  { envVars }: Pick<ActorVersion, 'envVars'>,
): Record<string, string> {
  return Object.fromEntries(
    envVars.map(({ name, value, isSecret }) => [name, isSecret ? secrets.open(value) : value]),
  );
}
