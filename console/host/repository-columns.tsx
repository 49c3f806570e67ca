// The columns of lists of repositories.
import { Count } from '../ui/numbers.tsx';
import type { TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { Repository } from './repository.ts';
import { Visibility } from './visibility.tsx';
import { WORDS } from './words.ts';

export const REPOSITORY_COLUMNS: TableColumn<Repository>[] = [
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
    cell: ({ language }) => <span className="muted">{language ?? ''}</span>,
  },
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
