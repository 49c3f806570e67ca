// What the pages of code scanning share: the frame of the repository, and the choice between alerts and analyses.
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { ORIGIN } from '../../api/server.ts';
import type { Crumb } from '../../app/page-info.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { securityHref } from './alert.ts';
import { SECURITY, UPLOAD } from './security-words.ts';
import '../../styles/security.css';

export interface SecurityFrameProps {
  view: 'alerts' | 'analyses';
  /** The way from the list to the page. */
  crumbs?: readonly Crumb[];
  children: (repository: Repository, place: RepositoryPlace) => ReactNode;
}

export function SecurityFrame({ view, crumbs, children }: SecurityFrameProps) {
  const { owner, repo } = useParams<{ owner: string; repo: string }>();
  const place = { owner, repo };
  const home = securityHref(place);
  return (
    <RepositoryFrame
      place={place}
      tab="security"
      crumbs={[{ label: SECURITY.tab, href: home }, ...(crumbs ?? [])]}
    >
      {(repository) =>
        crumbs !== undefined ? (
          children(repository, place)
        ) : (
          <>
            <Tabs
              label={SECURITY.viewsLabel}
              items={[
                { href: home, label: SECURITY.views.alerts, isCurrent: view === 'alerts' },
                { href: `${home}/analyses`, label: SECURITY.views.analyses, isCurrent: view === 'analyses' },
              ]}
            />
            {children(repository, place)}
          </>
        )
      }
    </RepositoryFrame>
  );
}

/** Filled in, so that it can be pasted as it is. The document may be longer than a command may be, so it goes through a pipe. */
export function uploadCommand({ owner, repo }: RepositoryPlace): string {
  const address = `${ORIGIN}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/code-scanning/sarifs`;
  return [
    `printf '{"commit_sha":"%s","ref":"%s","sarif":"%s"}' \\`,
    `  "$(git rev-parse HEAD)" "$(git symbolic-ref HEAD)" \\`,
    `  "$(gzip -c results.sarif | base64 | tr -d '\\n')" |`,
    `curl -fsS -H "Authorization: Bearer $SIGNALBOX_TOKEN" \\`,
    `  -H 'Content-Type: application/json' --data-binary @- \\`,
    `  '${address}'`,
  ].join('\n');
}

export function UploadButton({ place }: { place: RepositoryPlace }) {
  return (
    <Popover
      label={UPLOAD.title}
      alignment="end"
      trigger={
        <Button icon="aup" hasCaret>
          {UPLOAD.button}
        </Button>
      }
    >
      <div className="stack stack--8 upload">
        <p className="t13 muted">{UPLOAD.text}</p>
        <CodeBlock text={uploadCommand(place)} />
      </div>
    </Popover>
  );
}
