// Places in the source of an Actor that logs of its builds and runs name.
import { useCallback, useMemo } from 'react';
import { useMe } from '../../app/me.ts';
import { fileOfPath, type HrefOfPlace } from '../log/places.ts';
import { hrefOfActor, type ActorShort } from '../queries.ts';
import type { Run } from '../run.ts';
import { useActorDetail, useBuiltFiles } from './actor-queries.ts';

/** `names` are the files that there are. */
export function useHrefOfPlace(
  actor: Pick<ActorShort, 'username' | 'name'>,
  version: string,
  names: readonly string[],
): HrefOfPlace {
  const source = hrefOfActor(actor, 'source');
  return useCallback(
    (path, line) => {
      const file = fileOfPath(path, names);
      if (file === undefined) return undefined;
      return `${source}?${new URLSearchParams({ version, file }).toString()}#L${line}`;
    },
    [names, source, version],
  );
}

const NOBODY = { username: '', name: '' };
const NONE: readonly string[] = [];

/** Of a run: files that are still what its build was made from, where that has kept it. */
export function useHrefOfRunPlace({ actId, buildId, buildNumber = '' }: Run): HrefOfPlace {
  const { actor } = useActorDetail(actId);
  const { data: me } = useMe();
  const version = /^\d+\.\d+/.exec(buildNumber)?.[0] ?? '';
  const present = actor?.versions.find(({ versionNumber }) => versionNumber === version)?.sourceFiles;
  const isOwn = me !== undefined && me.member.id === actor?.userId;
  const { data: built } = useBuiltFiles(actId, version, isOwn && Boolean(present));
  const names = useMemo(() => {
    if (built === undefined || built.build.id !== buildId) return NONE;
    const contents = new Map(present?.map(({ name, content }) => [name, content]));
    return built.files
      .filter(({ name, content }) => content !== undefined && contents.get(name) === content)
      .map(({ name }) => name);
  }, [built, buildId, present]);
  return useHrefOfPlace(actor ?? NOBODY, version, names);
}
