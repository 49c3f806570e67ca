// The parts of the page of a repository. Each is read by itself: where one fails, the others are there.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/error.ts';
import { ReadProblem } from '../lib/read-problem.tsx';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Bytes } from '../ui/numbers.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Badge } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { FEW, useCommits, useContents, useIssues, usePulls, useReadme } from './queries.ts';
import {
  firstLine,
  readmeText,
  sortEntries,
  type Commit,
  type ContentEntry,
  type Issue,
} from './repository.ts';
import { WORDS } from './words.ts';

interface Place {
  owner: string;
  repo: string;
}

/** Larger ones are read in an editor. */
const MAX_README = 64 * 1024;
const SHORT_SHA = 7;

interface PartProps<Body> {
  title: string;
  read: UseQueryResult<Body, ApiError>;
  /** In place of rows; the API also answers 404 or 409 where there is nothing yet. */
  empty: string;
  rowsOf: (body: Body) => ReactNode[];
}

function Part<Body>({ title, read, empty, rowsOf }: PartProps<Body>) {
  const { data, error, refetch } = read;
  const isNothing = data === undefined && (error?.status === 404 || error?.status === 409);
  const rows = data === undefined ? [] : rowsOf(data);
  return (
    <Card title={title} isFlush>
      {error !== null && data === undefined && !isNothing ? (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      ) : data === undefined && !isNothing ? (
        <div className="card__b">
          <Skeleton lines={4} />
        </div>
      ) : rows.length === 0 ? (
        <p className="card__b muted">{empty}</p>
      ) : (
        <ul className="plain-list">{rows}</ul>
      )}
    </Card>
  );
}

export function Files({ owner, repo }: Place) {
  return (
    <Part
      title={WORDS.files}
      read={useContents(owner, repo)}
      empty={WORDS.noFiles}
      rowsOf={(entries) => sortEntries(entries).map((entry) => <Entry key={entry.path} entry={entry} />)}
    />
  );
}

function Entry({ entry: { name, type, size } }: { entry: ContentEntry }) {
  const isFolder = type === 'dir';
  return (
    <li>
      <Icon name={isFolder ? 'folder' : 'file'} className={isFolder ? 'acc' : 'muted'} />
      <span className="grow cut">{name}</span>
      <span className="muted t12">
        {isFolder ? WORDS.folder : type === 'submodule' ? WORDS.submodule : <Bytes value={size} />}
      </span>
    </li>
  );
}

export function Commits({ owner, repo }: Place) {
  return (
    <Part
      title={WORDS.commits}
      read={useCommits(owner, repo)}
      empty={WORDS.noCommits}
      rowsOf={(commits) => commits.map((commit) => <CommitRow key={commit.sha} commit={commit} />)}
    />
  );
}

function CommitRow({ commit: { sha, commit, author } }: { commit: Commit }) {
  const short = sha.slice(0, SHORT_SHA);
  return (
    <li>
      <Icon name="commit" className="muted" />
      <span className="two grow">
        <b className="cut">{firstLine(commit.message)}</b>
        <small className="cut">
          {author?.login ?? commit.author?.name}
          {commit.author !== null && (
            <>
              {' · '}
              <Time at={commit.author.date} />
            </>
          )}
        </small>
      </span>
      <code className="t12">{short}</code>
      <CopyButton text={sha} label={WORDS.copySha(short)} />
    </li>
  );
}

export function OpenIssues({ owner, repo }: Place) {
  return (
    <Part
      title={WORDS.openIssues}
      read={useIssues(owner, repo)}
      empty={WORDS.noIssues}
      rowsOf={(issues) =>
        issues
          .filter((issue) => issue.pull_request === undefined)
          .slice(0, FEW)
          .map((issue) => <IssueRow key={issue.id} issue={issue} />)
      }
    />
  );
}

export function OpenPulls({ owner, repo }: Place) {
  return (
    <Part
      title={WORDS.openPulls}
      read={usePulls(owner, repo)}
      empty={WORDS.noPulls}
      rowsOf={(pulls) => pulls.map((pull) => <IssueRow key={pull.id} issue={pull} />)}
    />
  );
}

function IssueRow({ issue: { number, title, user, created_at: at, draft } }: { issue: Issue }) {
  return (
    <li>
      <span className="two grow">
        <b className="cut">{title}</b>
        <small>
          #{number} {user !== null && WORDS.by(user.login)} · <Time at={at} />
        </small>
      </span>
      {draft === true && <Badge>{WORDS.draft}</Badge>}
    </li>
  );
}

/** Plain, as it is written; absent where there is none. */
export function ReadmeCard({ owner, repo }: Place) {
  const { data } = useReadme(owner, repo);
  if (data === undefined) return null;
  const text = readmeText(data, MAX_README);
  return (
    <Card title={data.name} icon="docs">
      {text === undefined ? (
        <p className="muted">{WORDS.largeReadme(data.name)}</p>
      ) : (
        <pre className="readme">{text}</pre>
      )}
    </Card>
  );
}
