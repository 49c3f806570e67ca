// Beside the name of a repository: watch it, give it a star, and have a copy of one's own.
import { useLocation } from 'wouter';
import { path } from '../api/call.ts';
import type { ApiError } from '../api/error.ts';
import { useChange } from '../api/read.ts';
import { useMe } from '../app/me.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import type { IconName } from '../ui/icon.tsx';
import { toast } from '../ui/toast-store.ts';
import { repositoryHref, type RepositoryPlace } from './place.ts';
import { repositoryCall, STANDING_TOPICS, TOPICS, useStanding } from './queries.ts';
import type { Repository } from './repository.ts';
import { STANDING } from './words.ts';

export function RepositoryActions({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const { owner, repo } = place;
  const { data } = useStanding(place);
  const watchCall = repositoryCall(place, '/subscription');
  const starCall = { api: 'host', path: path`/user/starred/${owner}/${repo}` } as const;
  const touches = [...STANDING_TOPICS, ...TOPICS];
  const watch = useChange<boolean>(
    (isOn) =>
      isOn ? { ...watchCall, method: 'PUT', body: { subscribed: true } } : { ...watchCall, method: 'DELETE' },
    touches,
  );
  const star = useChange<boolean>((isOn) => ({ ...starCall, method: isOn ? 'PUT' : 'DELETE' }), touches);
  return (
    <>
      <Standing
        icon="eye"
        label={STANDING.watch}
        count={repository.subscribers_count ?? 0}
        known={data?.isWatched}
        change={watch}
      />
      <Standing
        icon="star"
        label={STANDING.star}
        count={repository.stargazers_count}
        known={data?.isStarred}
        change={star}
      />
      <ForkButton place={place} repository={repository} />
    </>
  );
}

interface Switch {
  isPending: boolean;
  variables: boolean | undefined;
  mutate(isOn: boolean, options: { onError(error: ApiError): void }): void;
}

interface StandingProps {
  icon: IconName;
  label: string;
  /** Of all who have it. */
  count: number;
  /** Undefined until it is known, and for those who may not see it. */
  known: boolean | undefined;
  change: Switch;
}

/** Shown at once, since a further press takes it back. */
function Standing({ icon, label, count, known = false, change }: StandingProps) {
  const isOn = change.isPending ? change.variables === true : known;
  const fail = ({ message }: ApiError) => toast({ text: message, tone: 'bad' });
  return (
    <Button icon={icon} aria-pressed={isOn} onClick={() => change.mutate(!isOn, { onError: fail })}>
      {label} <span className="muted">{formatCount(count, { isShort: true })}</span>
    </Button>
  );
}

/** An owner has one repository of each family, so that nobody forks their own. */
function ForkButton({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const { data: me } = useMe();
  const [, navigate] = useLocation();
  const fork = useChange<void, Repository>(
    () => ({ ...repositoryCall(place, '/forks'), method: 'POST' }),
    TOPICS,
  );
  const isOffered = me !== undefined && me.username !== repository.owner.login && repository.allow_forking;
  const open = ({ full_name: name, owner, name: repo }: Repository) => {
    toast({ text: STANDING.forked(name) });
    navigate(repositoryHref({ owner: owner.login, repo }));
  };
  const fail = ({ message }: ApiError) => toast({ text: message, tone: 'bad' });
  if (!isOffered) return null;
  return (
    <Button
      icon="fork"
      isBusy={fork.isPending}
      onClick={() => fork.mutate(undefined, { onSuccess: open, onError: fail })}
    >
      {STANDING.fork} <span className="muted">{formatCount(repository.forks_count, { isShort: true })}</span>
    </Button>
  );
}
