// A folder: the last commit that changed it, its entries, and its README. Ten thousand entries are no burden: the table draws those
// near the window.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Banner } from '../../ui/banner.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Bytes } from '../../ui/numbers.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { blobHref, commitHref, commitsHref, treeHref, type RepositoryPlace } from '../place.ts';
import { firstLine, shortSha, type Commit } from '../repository.ts';
import { findReadme, sortEntries, type Entry, type Folder } from './content.ts';
import { contentRead, useEntries, useLastChanges, useLastCommit } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';
import { ReadmeCard } from './readme-card.tsx';

export interface FolderViewProps {
  place: RepositoryPlace;
  gitRef: string;
  path: string;
  folder: Folder;
}

const ICONS = { dir: 'folder', file: 'file', symlink: 'link', submodule: 'code' } as const;

const columnsOf = (place: RepositoryPlace, last: ReturnType<typeof useLastChanges>): TableColumn<Entry>[] => [
  {
    id: 'name',
    head: FILES_WORDS.name,
    isMain: true,
    cell: ({ name, type }) => (
      <span className="row">
        <Icon name={ICONS[type]} className={type === 'dir' ? 'acc' : 'muted'} />
        <span className="cut">{name}</span>
      </span>
    ),
  },
  {
    id: 'change',
    head: FILES_WORDS.lastChange,
    cardLabel: null,
    cell: ({ name }) => {
      const commit = last.get(name);
      return (
        commit !== undefined && (
          <Link className="ln--quiet muted cut t12" href={commitHref(place, commit.sha)}>
            {commit.title}
          </Link>
        )
      );
    },
  },
  {
    id: 'changed',
    head: FILES_WORDS.updated,
    align: 'end',
    cardLabel: null,
    cell: ({ name }) => {
      const commit = last.get(name);
      return (
        commit !== undefined && (
          <span className="muted t12 nw">
            <Time at={commit.authoredAt} />
          </span>
        )
      );
    },
  },
  {
    id: 'size',
    head: FILES_WORDS.size,
    align: 'end',
    cardLabel: null,
    cell: ({ type, size }) => (
      <span className="muted t12">{type === 'file' ? <Bytes value={size} /> : KINDS[type]}</span>
    ),
  },
];

const KINDS = {
  dir: FILES_WORDS.folder,
  symlink: FILES_WORDS.link,
  submodule: FILES_WORDS.submodule,
} as const;

export function FolderView({ place, gitRef, path, folder }: FolderViewProps) {
  const { entries, isWhole, isTruncated, error, refetch } = useEntries(place, folder, path);
  const rows = useMemo(() => sortEntries(entries), [entries]);
  const readme = findReadme(rows);
  const commit = useLastCommit(place, gitRef, path);
  const last = useLastChanges(place, gitRef, path);
  const columns = useMemo(() => columnsOf(place, last), [place, last]);
  return (
    <div className="stack stack--16">
      {error !== null && !isWhole && <ReadProblem error={error} onRetry={() => void refetch()} />}
      {isTruncated && <Banner tone="warn">{FILES_WORDS.truncated(formatCount(rows.length))}</Banner>}
      <div className="files">
        <LastCommit place={place} gitRef={gitRef} path={path} commit={commit} />
        <Table
          label={FILES_WORDS.files}
          columns={columns}
          rows={rows}
          rowKey={({ path: one }) => one}
          rowHref={({ type, path: one }) =>
            type === 'dir' ? treeHref(place, gitRef, one) : blobHref(place, gitRef, one)
          }
          onPrefetch={({ path: one }) => prefetch(contentRead(place, gitRef, one))}
          isCompact
          emptyState={<p className="card__b muted t13">{FILES_WORDS.emptyFolder}</p>}
          footer={
            rows.length > 200
              ? `${formatCount(rows.length)} ${FILES_WORDS.entries}${isWhole ? '' : '…'}`
              : undefined
          }
        />
      </div>
      {readme !== undefined && <ReadmeCard place={place} gitRef={gitRef} file={readme} />}
    </div>
  );
}

interface LastCommitProps {
  place: RepositoryPlace;
  gitRef: string;
  path: string;
  commit: Commit | undefined;
}

/** Keeps its place until the commit is known. */
export function LastCommit({ place, gitRef, path, commit }: LastCommitProps) {
  const name = commit?.author?.login ?? commit?.commit.author?.name ?? '';
  return (
    <div className="files__last row t13">
      {commit !== undefined && (
        <>
          <Avatar name={name} isDecorative />
          <b className="nw no-s">{name}</b>
          <Link className="cut grow ln--quiet" href={commitHref(place, commit.sha)}>
            {firstLine(commit.commit.message)}
          </Link>
          <Link className="mono t12 ln no-s" href={commitHref(place, commit.sha)}>
            {shortSha(commit.sha)}
          </Link>
          <span className="no-s">
            <CopyButton text={commit.sha} label={FILES_WORDS.copySha(shortSha(commit.sha))} />
          </span>
          {commit.commit.committer !== null && (
            <span className="muted nw t12">
              <Time at={commit.commit.committer.date} />
            </span>
          )}
          <Link className="ln nw t13" href={commitsHref(place, gitRef, path)}>
            {FILES_WORDS.history}
          </Link>
        </>
      )}
    </div>
  );
}
