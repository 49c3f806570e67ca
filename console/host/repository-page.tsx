// One repository, to read: how to clone it, its top folder, the last commits, what is open, and its README as it is written.
import { useParams } from 'wouter';
import { usePageInfo } from '../app/page-info.ts';
import { NextNote } from '../lib/next-note.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { Card, KeyValues } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { PageHead } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useRepository } from './queries.ts';
import type { Repository } from './repository.ts';
import { Commits, Files, OpenIssues, OpenPulls, ReadmeCard } from './repository-parts.tsx';
import { Visibility } from './visibility.tsx';
import { WORDS } from './words.ts';

export default function RepositoryPage() {
  const { owner, repo } = useParams<{ owner: string; repo: string }>();
  const { data: repository, error, refetch } = useRepository(owner, repo);
  const name = `${owner}/${repo}`;
  usePageInfo([
    { label: WORDS.code, href: '/code' },
    { label: name, href: `/code/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`, copy: name },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {repository === undefined ? (
        error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <RepositoryView key={repository.id} repository={repository} />
      )}
    </main>
  );
}

function RepositoryView({ repository }: { repository: Repository }) {
  const { full_name: name, description } = repository;
  const owner = repository.owner.login;
  const place = { owner, repo: repository.name };
  return (
    <>
      <PageHead
        title={name}
        badge={<Visibility repository={repository} />}
        meta={description ?? WORDS.noDescription}
      />
      <div className="cols">
        <div className="stack stack--24">
          <Files {...place} />
          <Commits {...place} />
          <ReadmeCard {...place} />
        </div>
        <aside className="stack stack--24" aria-label={WORDS.about}>
          <Card title={WORDS.clone}>
            <Clone repository={repository} />
          </Card>
          <OpenIssues {...place} />
          <OpenPulls {...place} />
        </aside>
      </div>
      <NextNote>{WORDS.repositoryNext}</NextNote>
    </>
  );
}

function Clone({ repository }: { repository: Repository }) {
  const { clone_url: url, ssh_url: ssh, default_branch: branch, language, updated_at: at } = repository;
  // A server without SSH says the same address twice.
  const addresses = [...new Set([url, ssh ?? url])];
  return (
    <div className="stack stack--16">
      {addresses.map((address) => (
        <CodeBlock key={address} text={`git clone ${address}`} copyLabel={WORDS.copyClone} />
      ))}
      <KeyValues
        items={[
          [WORDS.branch, <code key="branch">{branch}</code>],
          ...(language === null ? [] : [[WORDS.language, language] as [string, string]]),
          [WORDS.updated, <Time key="updated" at={at} />],
        ]}
      />
    </div>
  );
}
