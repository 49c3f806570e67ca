// The caller's Actors that are built from repositories.
import { actorResource } from '../../actors/actors/access.ts';
import { listGitVersions } from '../../actors/actors/store-versions.ts';
import { gitSourceOf } from '../../actors/builds/build-on-push.ts';
import type { FoundRepository } from '../../host/repositories/access.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

/** Versions that are looked at: those of the Actors that ran last. */
export const MAX_GIT_VERSIONS = 1000;

export const BuiltActor = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    name: Type.String(),
    title: Type.Optional(Type.String()),
    versions: Type.Array(
      Type.Object({
        number: Type.String({ description: '`MAJOR.MINOR`' }),
        reference: Type.Optional(
          Type.String({ description: 'A branch, a tag or a commit; the default branch if absent' }),
        ),
        buildsOnPush: Type.Boolean({ description: 'Whether a push starts a build' }),
      }),
      { description: 'Those that are built from the repository' },
    ),
    lastRunAt: Type.Optional(Type.Integer({ description: 'Absent where it has never run' })),
  },
  { $id: 'BuiltActor' },
);

/** By the number of the repository, which is known by its present name. Those that ran last come first. */
export async function listBuiltActors(
  { db, services }: Pick<Kernel, 'db' | 'services'>,
  call: Pick<Call, 'can'> & { caller: KnownCaller },
  repositories: readonly FoundRepository[],
): Promise<Map<number, Static<typeof BuiltActor>[]>> {
  const { id: accountId, username } = accountOf(call.caller);
  const numbers = new Map(
    repositories.map(({ owner, repository: { name, number } }) => [
      `${owner.login}/${name}`.toLowerCase(),
      number,
    ]),
  );
  const found = new Map<number, Map<string, Static<typeof BuiltActor>>>();
  for (const { actor, version } of await listGitVersions(db, accountId, MAX_GIT_VERSIONS)) {
    const source = gitSourceOf(version);
    const name = source && services.ownRepositories.nameIn(source.url);
    const number = name === undefined ? undefined : numbers.get(name.toLowerCase());
    if (source === undefined || number === undefined) continue;
    const { id, title, lastRunStartedAt } = actor;
    if (!call.can(actorResource({ id }), 'viewActorVersion')) continue;
    const ofRepository = found.get(number) ?? new Map<string, Static<typeof BuiltActor>>();
    const entry: Static<typeof BuiltActor> = ofRepository.get(id) ?? {
      id,
      username,
      name: actor.name,
      ...(title !== null && { title }),
      versions: [],
      ...(lastRunStartedAt > 0 && { lastRunAt: lastRunStartedAt }),
    };
    entry.versions.push({
      number: version.number,
      ...(source.reference !== undefined && { reference: source.reference }),
      buildsOnPush: version.buildsOnPush,
    });
    found.set(number, ofRepository.set(id, entry));
  }
  return new Map([...found].map(([number, actors]) => [number, [...actors.values()]]));
}
