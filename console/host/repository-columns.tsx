// The columns of lists of repositories.
import { path } from '../api/call.ts';
import { TextLink } from '../ui/link.tsx';
import { Count } from '../ui/numbers.tsx';
import type { TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { LanguageBar, shareText, sharesOf } from './language-bar.tsx';
import { useRepositorySummary } from './queries.ts';
import type { Repository } from './repository.ts';
import { Visibility } from './visibility.tsx';
import { WORDS } from './words.ts';

export interface ListedRepository extends Repository {
  /** The ids of those whose summaries are read together. */
  batch: string;
}

const AT_ONCE = 50;

export function inBatches(repositories: readonly Repository[]): ListedRepository[] {
  const batches = Array.from({ length: Math.ceil(repositories.length / AT_ONCE) }, (_, index) =>
    repositories
      .slice(index * AT_ONCE, (index + 1) * AT_ONCE)
      .map(({ id }) => id)
      .join(','),
  );
  return repositories.map((repository, index) => ({
    ...repository,
    batch: batches[Math.floor(index / AT_ONCE)]!,
  }));
}

export const REPOSITORY_COLUMNS: TableColumn<ListedRepository>[] = [
  {
    id: 'name',
    head: WORDS.repository,
    isMain: true,
    sort: 'full_name',
    cell: ({ full_name: name, description }) => (
      <span className="two">
        <b className="cut">{name}</b>
        <small className="cut">{description ?? ''}</small>
      </span>
    ),
  },
  { id: 'visibility', head: WORDS.visibility, cell: (repository) => <Visibility repository={repository} /> },
  {
    id: 'language',
    head: WORDS.language,
    priority: 'mid',
    cell: (row) => <Languages row={row} />,
  },
  { id: 'actors', head: WORDS.builtActors, priority: 'mid', cell: (row) => <Actors row={row} /> },
  {
    id: 'issues',
    head: WORDS.issues,
    align: 'end',
    cell: ({ open_issues_count: count }) => <Count value={count} />,
  },
  {
    id: 'updated',
    head: WORDS.updated,
    sort: 'updated',
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

function Languages({ row: { id, batch, language } }: { row: ListedRepository }) {
  const shares = sharesOf(useRepositorySummary(id, batch)?.languages ?? []);
  if (language === null && shares.length === 0) return null;
  return (
    <span className="langs-cell">
      <small className="muted">{language ?? shares[0]!.name}</small>
      {shares.length > 0 && (
        <LanguageBar
          shares={shares}
          label={shares.map(({ name, share }) => `${name} ${shareText(share)}`).join(', ')}
        />
      )}
    </span>
  );
}

/** So many have room; the others are on the page of the repository. */
const MOST_ACTORS = 2;

function Actors({ row: { id, batch } }: { row: ListedRepository }) {
  const actors = useRepositorySummary(id, batch)?.actors ?? [];
  return (
    <span className="langs-cell">
      {actors.slice(0, MOST_ACTORS).map(({ id: actor, username, name, title }) => (
        <TextLink key={actor} href={path`/actors/${`${username}~${name}`}`}>
          {title ?? name}
        </TextLink>
      ))}
      {actors.length > MOST_ACTORS && (
        <small className="muted">{WORDS.moreActors(actors.length - MOST_ACTORS)}</small>
      )}
    </span>
  );
}
