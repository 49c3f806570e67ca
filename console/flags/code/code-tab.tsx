// Where code refers to a flag: by repository, file and line, with the lines themselves.
import '../../styles/flag-tabs.css';
import { useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Flag } from '../flag.ts';
import { lineLink, repositoryLink } from './code-links.ts';
import { useCodeReferences, type CodeFile, type CodeRepository } from './code-queries.ts';
import { CODE_WORDS as WORDS } from './code-words.ts';

/** Shown of each repository at first. */
const SHOWN_FILES = 20;

export default function CodeTab({ project, flag }: { project: string; flag: Flag }) {
  const { data, error, refetch } = useCodeReferences(project, flag.key);
  if (data === undefined)
    return (
      <div>
        {error === null ? (
          <Skeleton rows={6} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </div>
    );
  const found = data.items.filter(({ branches = [] }) =>
    branches.some(({ references = [] }) => references.length > 0),
  );
  return (
    <div className="stack stack--16">
      {found.length === 0 && <EmptyState icon="code" title={WORDS.empty.title} text={WORDS.empty.text} />}
      {found.map((repository) => (
        <Repository key={repository.name} repository={repository} />
      ))}
    </div>
  );
}

function Repository({ repository }: { repository: CodeRepository }) {
  const { name, enabled, branches = [] } = repository;
  const link = repositoryLink(repository);
  return (
    <Card
      title={
        link === undefined ? (
          name
        ) : (
          <TextLink href={link.href} isExternal={link.isExternal}>
            {name}
          </TextLink>
        )
      }
      icon="code"
      actions={
        <>
          {link?.isExternal === false && <Badge tone="ok">{WORDS.here}</Badge>}
          {!enabled && <Badge tone="warn">{WORDS.disabled}</Badge>}
        </>
      }
    >
      {branches.map((branch) => (
        <div key={branch.name} className="stack">
          <p className="t12 muted">
            {WORDS.branch} <code>{branch.name}</code> {WORDS.at(branch.head.slice(0, 8))}, {WORDS.scanned}{' '}
            <Time at={branch.syncTime} /> · {WORDS.files(branch.references?.length ?? 0)}
          </p>
          <Files repository={repository} branch={branch.name} files={branch.references ?? []} />
        </div>
      ))}
    </Card>
  );
}

interface FilesProps {
  repository: CodeRepository;
  branch: string;
  files: readonly CodeFile[];
}

function Files({ repository, branch, files }: FilesProps) {
  const [shown, setShown] = useState(SHOWN_FILES);
  const left = files.length - shown;
  return (
    <div>
      {files.slice(0, shown).map((file) => (
        <section key={file.path} className="code-ref" aria-label={file.path}>
          <h3 className="t13 mono code-path">{file.path}</h3>
          {file.hunks.map((hunk) => (
            <Hunk
              key={hunk.startingLineNumber}
              repository={repository}
              branch={branch}
              file={file.path}
              line={hunk.startingLineNumber}
              lines={hunk.lines}
            />
          ))}
        </section>
      ))}
      {left > 0 && (
        <Button size="sm" onClick={() => setShown(shown + SHOWN_FILES)}>
          {WORDS.more(Math.min(left, SHOWN_FILES))}
        </Button>
      )}
    </div>
  );
}

interface HunkProps {
  repository: CodeRepository;
  branch: string;
  file: string;
  line: number;
  lines: string | undefined;
}

function Hunk({ repository, branch, file, line, lines }: HunkProps) {
  const link = lineLink(repository, { branch, file, line });
  return (
    <div>
      <p className="t12">
        {link === undefined ? (
          <span className="muted">{WORDS.line(line)}</span>
        ) : (
          <TextLink href={link.href} isExternal={link.isExternal}>
            {WORDS.line(line)}
          </TextLink>
        )}
      </p>
      {lines === undefined || lines === '' ? (
        <p className="t12 muted">{WORDS.noHunks}</p>
      ) : (
        <CodeBlock text={lines} copyLabel={WORDS.copy(file)}>
          {numbered(lines, line)}
        </CodeBlock>
      )}
    </div>
  );
}

/** Each line with its number. */
function numbered(lines: string, first: number): string {
  const all = lines.replace(/\n$/, '').split('\n');
  const width = String(first + all.length - 1).length;
  return all.map((text, index) => `${String(first + index).padStart(width)}  ${text}`).join('\n');
}
