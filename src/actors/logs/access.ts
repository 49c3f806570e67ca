// Checks that the caller may read the log of a build or run, and what of it is the owner's alone.
import type { Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openEnvVars } from '../actors/env-vars.ts';
import { isBuildOwner, openBuild } from '../builds/access.ts';
import { buildNotFound, type Build } from '../builds/model.ts';
import { findSnapshot } from '../builds/store-snapshots.ts';
import { hasPublicLog } from '../builds/store.ts';
import { checkRun } from '../runs/access.ts';
import { findRun } from '../runs/store.ts';
import { LogMask } from './log-filters.ts';

/** For the `access` of routes that serve logs. */
export const LOG_ACCESS = { action: 'viewRun', others: ['viewBuild'], ofOwner: true } as const;

export type LogAccessCall = Pick<Call, 'can'> & { caller: KnownCaller };

/** Returns the build where it belongs to somebody else. */
export async function checkLogAccess(
  call: LogAccessCall,
  kernel: Kernel,
  id: string,
): Promise<Build | undefined> {
  const run = await findRun(kernel.db, id);
  if (run !== undefined) {
    checkRun(call, run, 'viewRun');
    return undefined;
  }
  return await checkBuildLogAccess(call, kernel, id);
}

/** The same for the log of a build. */
export async function checkBuildLogAccess(
  call: LogAccessCall,
  kernel: Kernel,
  id: string,
): Promise<Build | undefined> {
  const build = await openBuild(kernel, call, id, 'viewBuild');
  if (isBuildOwner(call.caller, build)) return undefined;
  if (!(await hasPublicLog(kernel.db, id))) throw buildNotFound();
  return build;
}

/** The programs of a build have its variables, secret ones too, and may print them. */
export async function maskOf(kernel: Kernel, { id, definition }: Build): Promise<LogMask> {
  const { envVars = [] } = (await findSnapshot(kernel.db, id)) ?? {};
  const plain = openEnvVars(kernel, { envVars });
  const defined = Object.values(definition?.['environmentVariables'] ?? {});
  return new LogMask([
    ...envVars.map(({ name, isSecret }) => ({ value: plain[name]!, isSecret })),
    ...defined.flatMap((value) => (typeof value === 'string' ? [{ value, isSecret: false }] : [])),
  ]);
}
