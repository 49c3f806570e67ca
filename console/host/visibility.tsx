// Who can see a repository, and what kind it is.
import { Badge } from '../ui/status.tsx';
import type { Repository } from './repository.ts';
import { WORDS } from './words.ts';

export function Visibility({ repository }: { repository: Repository }) {
  const isPrivate = repository.private;
  return (
    <span className="row row--4 row--wrap">
      <Badge icon={isPrivate ? 'lock' : 'globe'}>{isPrivate ? WORDS.private : WORDS.public}</Badge>
      {repository.fork && <Badge icon="fork">{WORDS.fork}</Badge>}
      {repository.archived && <Badge tone="warn">{WORDS.archived}</Badge>}
    </span>
  );
}
