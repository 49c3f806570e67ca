// Between the builds of two runs: a link to the commits, where the Actor is built from a repository of this server.
import { TextLink } from '../../ui/link.tsx';
import { useActorDetail } from '../actor/actor-queries.ts';
import { repositoryHref } from '../repository-link.ts';
import { COMPARE_WORDS } from './compare-words.ts';

export interface CommitsBetweenProps {
  actorId: string;
  from: string | undefined;
  to: string | undefined;
}

export function CommitsBetween({ actorId, from, to }: CommitsBetweenProps) {
  const { actor } = useActorDetail(actorId);
  if (from === undefined || to === undefined || from === to) return null;
  const address = actor?.versions.find(({ gitRepoUrl }) => gitRepoUrl)?.gitRepoUrl;
  const repository = address ? repositoryHref(address) : undefined;
  const range = `${from.slice(0, 7)}...${to.slice(0, 7)}`;
  return (
    <p className="t13">
      {COMPARE_WORDS.commits}:{' '}
      {repository === undefined ? (
        <span className="mono">{range}</span>
      ) : (
        <TextLink href={`${repository}/compare/${from}...${to}`} isMono>
          {range}
        </TextLink>
      )}
    </p>
  );
}
