// Collects the environment of a run's process: the platform's variables win over those of the Actor's version.
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openEnvVars } from '../actors/env-vars.ts';
import { standbyUrlOf } from '../actors/standby.ts';
import { findActorById } from '../actors/store.ts';
import { listTagsOfBuild } from '../actors/store-tags.ts';
import { findVersion } from '../actors/store-versions.ts';
import type { Build } from '../builds/model.ts';
import { inputSecretEnv } from '../input/secret-keys.ts';
import { mayViewAccount } from '../users/access.ts';
import { ensureAccountRecord } from '../users/store.ts';
import { environmentOf } from './environment.ts';
import type { Run } from './model.ts';
import type { ReservedWebServer } from './reserve-web-server.ts';
import type { RunListener } from './run-listener.ts';
import { programOf } from './run-tokens.ts';

export async function programEnvironment(
  kernel: Kernel,
  run: Run,
  build: Build,
  { token, listener, web }: { token: string; listener: RunListener; web: ReservedWebServer },
): Promise<Record<string, string>> {
  const { db, publicUrl } = kernel;
  const [actor, version, buildTags, secrets, account] = await Promise.all([
    findActorById(db, run.actorId),
    findVersion(db, run.actorId, build.versionNumber),
    listTagsOfBuild(db, run.buildId),
    inputSecretEnv(kernel, { userId: run.userId, actorId: run.actorId }),
    ensureAccountRecord(db, run.userId),
  ]);
  const owner = actor && (await findAccount(db, { id: actor.userId }));
  return {
    ...(version && openEnvVars(kernel, version)),
    ...secrets,
    ...environmentOf({
      run,
      token,
      fullName: `${owner?.username ?? ''}/${actor?.name ?? ''}`,
      buildTags,
      apiUrl: listener.url,
      eventsUrl: listener.eventsUrlOf(token),
      publicUrl,
      proxyPassword: (await mayHavePassword(kernel, run)) ? account.proxyPassword : null,
      web,
      standbyUrl:
        owner && actor?.details.actorStandby?.isEnabled
          ? standbyUrlOf(publicUrl, owner.username, actor.name)
          : null,
    }),
  };
}

async function mayHavePassword({ db, identity, clock }: Kernel, run: Run): Promise<boolean> {
  if (run.meta.initiator.boundary === undefined) return true;
  const program = await identity.callerOfProgram(db, programOf(run), clock.now());
  return program !== undefined && mayViewAccount(program);
}
